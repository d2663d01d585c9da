import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { lockAuthorAndCountDuplicates } from '../content-policy/author-queries.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { findReviewReasons } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { publishQuestion } from './publish-question.ts'
import { findCity } from './queries.ts'
import { earlierQuestions, insertQuestion } from './write-queries.ts'

export interface QuestionRequest {
  readonly place: string
  readonly body: unknown
  readonly inputErrors: ValidationErrors
  readonly asker: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** Runs the transaction: `db.transaction`, or `idempotent` for an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<CreatedQuestion>) => Promise<CreatedQuestion>
}

export type CreatedQuestion = { readonly id: number; readonly isHeld: boolean }

/** @throws Problem 404 if there is no such city, 422 `{errors}` with all validation errors */
export async function createQuestion(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { place, body, inputErrors, asker, locale, requestId, inTransaction }: QuestionRequest,
): Promise<CreatedQuestion> {
  const city = await findCity(db, place)
  if (!city) throw problems.notFound('the_place')
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (Object.keys(inputErrors).length > 0 || typeof fields['question'] !== 'string') throw problems.invalidErrors(inputErrors)
  const question = fields['question'].trim()
  const requestedLocale = typeof fields['locale'] === 'string' ? fields['locale'] : locale
  const now = clock()
  const result = await inTransaction(async (tx) => {
    const author = await lockAuthorAndCountDuplicates(tx, { id: asker.id, text: question, now }, earlierQuestions)
    const language = requestedLocale ?? author.locale
    const reasons = findReviewReasons({
      texts: [question],
      locale: language,
      authorCreatedAt: new Date(author.created_at),
      now,
      duplicateCount: author.duplicate_count,
      organizationReviewsAll: false,
    })
    const isHeld = reasons.length > 0
    const row = { place_id: city.id, asker_id: asker.id, question, locale: language, created_at: now }
    const id = await insertQuestion(tx, { ...row, moderation_state: isHeld ? 'held' : 'passed' })
    if (isHeld) {
      await addModerationItem(tx, { subject_type: 'question', subject_id: id, reasons, original: { question }, created_at: now })
      await recordEvent(tx, { type: 'question.held', subject_id: id, actor_id: asker.id, request_id: requestId })
    } else {
      await publishQuestion(tx, { question_id: id, asker_id: asker.id, now, request_id: requestId })
    }
    return { id, isHeld }
  })
  return result
}
