import { recordEvent } from '../outbox/queries.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { type CreatedText, readTextField, reviewText, type TextRequest } from '../content-policy/text-request.ts'
import { findActionableQuestion, lockQuestion } from '../questions/write-queries.ts'
import type { Services } from '../services.ts'
import { earlierAnswers, publishAnswer } from './write-queries.ts'

/** @throws Problem 404 if the caller may not see the question, 422 `{errors}` with all errors, `base` if it is not public */
export async function createAnswer(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  question_id: number,
  request: TextRequest,
): Promise<CreatedText> {
  if (request.stored) return request.stored
  const { author, requestId: request_id } = request
  await findActionableQuestion(db, question_id, author)
  const { text: answer, locale } = readTextField(request, 'answer')
  const now = clock()
  return request.inTransaction(async (tx) => {
    await lockQuestion(tx, question_id, author)
    const review = await reviewText(tx, { author, text: answer, locale, now }, earlierAnswers)
    const { reasons } = review
    const isHeld = reasons.length > 0
    const row = { question_id, answerer_id: author.id, answer, locale: review.locale, created_at: now, updated_at: now }
    const { id } = await tx.prisma.answer.create({
      data: { ...row, moderation_state: isHeld ? 'held' : 'passed' },
      select: { id: true },
    })
    if (isHeld) {
      await addModerationItem(tx, { subject_type: 'answer', subject_id: id, reasons, original: { answer }, created_at: now })
      await recordEvent(tx, { type: 'answer.held', subject_id: id, actor_id: author.id, payload: { question_id }, request_id })
    } else await publishAnswer(tx, { answer_id: id, question_id, answerer_id: author.id, now, request_id })
    return { id, isHeld }
  })
}
