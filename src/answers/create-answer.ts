import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { lockAuthorAndCountDuplicates } from '../content-policy/author-queries.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { findReviewReasons } from '../content-policy/policy.ts'
import { findActionableQuestion, lockQuestion } from '../questions/write-queries.ts'
import type { Services } from '../services.ts'
import { publishAnswer } from './publish-answer.ts'
import { earlierAnswers, insertAnswer } from './write-queries.ts'

export interface AnswerRequest {
  readonly questionId: number
  readonly body: unknown
  readonly inputErrors: ValidationErrors
  readonly answerer: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** Runs the transaction: `db.transaction`, or `idempotent` for an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<CreatedAnswer>) => Promise<CreatedAnswer>
}

export type CreatedAnswer = { readonly id: number; readonly isHeld: boolean }

/** @throws Problem 404 if the caller may not see the question, 422 `{errors}` with all errors, `base` if it is not public */
export async function createAnswer(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { questionId, body, inputErrors, answerer, locale, requestId, inTransaction }: AnswerRequest,
): Promise<CreatedAnswer> {
  await findActionableQuestion(db, questionId, answerer)
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (Object.keys(inputErrors).length > 0 || typeof fields['answer'] !== 'string') throw problems.invalidErrors(inputErrors)
  const answer = fields['answer'].trim()
  const requestedLocale = typeof fields['locale'] === 'string' ? fields['locale'] : locale
  const now = clock()
  const result = await inTransaction(async (tx) => {
    await lockQuestion(tx, questionId, answerer)
    const author = await lockAuthorAndCountDuplicates(tx, { id: answerer.id, text: answer, now }, earlierAnswers)
    const language = requestedLocale ?? author.locale
    const reasons = findReviewReasons({
      texts: [answer],
      locale: language,
      authorCreatedAt: new Date(author.created_at),
      now,
      duplicateCount: author.duplicate_count,
      organizationReviewsAll: false,
    })
    const isHeld = reasons.length > 0
    const row = { question_id: questionId, answerer_id: answerer.id, answer, locale: language, created_at: now }
    const id = await insertAnswer(tx, { ...row, moderation_state: isHeld ? 'held' : 'passed' })
    if (isHeld) {
      const eventFields = { actor_id: answerer.id, payload: { question_id: questionId }, request_id: requestId }
      await addModerationItem(tx, { subject_type: 'answer', subject_id: id, reasons, original: { answer }, created_at: now })
      await recordEvent(tx, { type: 'answer.held', subject_id: id, ...eventFields })
    } else {
      const publication = { question_id: questionId, answerer_id: answerer.id, now, request_id: requestId }
      await publishAnswer(tx, { answer_id: id, ...publication })
    }
    return { id, isHeld }
  })
  return result
}
