import { recordEvent } from '../outbox/queries.ts'
import { problems } from '../errors/problems.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { type CreatedText, readTextField, reviewText, type TextRequest } from '../content-policy/text-request.ts'
import type { Services } from '../services.ts'
import { findCity } from './queries.ts'
import { earlierQuestions, publishQuestion } from './write-queries.ts'

/** @throws Problem 404 if there is no such city, 422 `{errors}` with all validation errors */
export async function createQuestion(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  place: string,
  request: TextRequest,
): Promise<CreatedText> {
  if (request.stored) return request.stored
  const city = await findCity(db, place)
  if (!city) throw problems.notFound('the_place')
  const { text: question, locale } = readTextField(request, 'question')
  const { author, requestId: request_id } = request
  const now = clock()
  return request.inTransaction(async (tx) => {
    const review = await reviewText(tx, { author, text: question, locale, now }, earlierQuestions)
    const { reasons } = review
    const isHeld = reasons.length > 0
    const row = { place_id: city.id, asker_id: author.id, question, locale: review.locale, created_at: now, updated_at: now }
    const { id } = await tx.prisma.question.create({
      data: { ...row, moderation_state: isHeld ? 'held' : 'passed' },
      select: { id: true },
    })
    if (isHeld) {
      await addModerationItem(tx, { subject_type: 'question', subject_id: id, reasons, original: { question }, created_at: now })
      await recordEvent(tx, { type: 'question.held', subject_id: id, actor_id: author.id, request_id })
    } else await publishQuestion(tx, { question_id: id, asker_id: author.id, now, request_id })
    return { id, isHeld }
  })
}
