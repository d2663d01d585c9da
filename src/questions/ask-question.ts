import type { Transaction } from '../database/database.ts'
import { type PendingDelivery, recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { lockAuthor } from '../content-policy/author-queries.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import { reasonsToHold } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { publishQuestion } from './publish-question.ts'
import { findCity } from './queries.ts'
import { earlierQuestions, insertQuestion } from './write-queries.ts'

export interface QuestionToAsk {
  readonly place: string
  readonly body: unknown
  readonly faults: ValidationErrors
  readonly asker: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** Runs the transaction: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Asked>) => Promise<Asked>
}

/** `held` means that the question is pending review. */
export type Asked = { readonly id: number; readonly held: boolean }

/**
 * Adds a question to a city in one transaction: the question, or its pending review, and the event.
 * @throws Problem 404 if there is no such city, 422 `{errors}` with all validation errors
 */
export async function askQuestion(
  { db, clock, dispatchDeliveries }: Pick<Services, 'db' | 'clock' | 'dispatchDeliveries'>,
  { place, body, faults, asker, locale, requestId, inTransaction }: QuestionToAsk,
): Promise<Asked> {
  const city = await findCity(db, place)
  if (!city) throw problems.notFound('the_place')
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (Object.keys(faults).length > 0 || typeof given['question'] !== 'string') throw problems.invalidErrors(faults)
  const question = given['question'].trim()
  const wanted = typeof given['locale'] === 'string' ? given['locale'] : locale
  const at = clock()
  let deliveries: readonly PendingDelivery[] = []
  const asked = await inTransaction(async (tx) => {
    const author = await lockAuthor(tx, { id: asker.id, text: question, now: at }, earlierQuestions)
    const language = wanted ?? author.locale
    const reasons = reasonsToHold({
      texts: [question],
      locale: language,
      authorSince: new Date(author.created_at),
      now: at,
      sameBefore: author.same_before,
      organizationHolds: false,
    })
    const held = reasons.length > 0
    const row = { place_id: city.id, asker_id: asker.id, question, locale: language, at }
    const id = await insertQuestion(tx, { ...row, moderation_state: held ? 'held' : 'passed' })
    if (held) {
      await holdItem(tx, { subject_type: 'question', subject_id: id, reasons, original: { question }, at })
      deliveries = await recordEvent(tx, { type: 'question.held', subject_id: id, actor_id: asker.id, request_id: requestId })
    } else {
      deliveries = await publishQuestion(tx, { question_id: id, asker_id: asker.id, at, request_id: requestId })
    }
    return { id, held }
  })
  dispatchDeliveries(deliveries)
  return asked
}
