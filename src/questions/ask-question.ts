import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/access.ts'
import { type Faults, problems } from '../errors/problems.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import { reasonsToHold } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { publishQuestion } from './publish-question.ts'
import { findCity } from './queries.ts'
import { insertQuestion, lockAsker } from './write-queries.ts'

export interface QuestionToAsk {
  /** The `url_name` of the city. */
  readonly place: string
  /** Fields as JSON or a form gave them. */
  readonly body: unknown
  /** What is already known to be wrong with them. */
  readonly faults: Faults
  readonly asker: Viewer
  /** The language that the client asks for; undefined takes the asker's own. */
  readonly locale: string | undefined
  readonly requestId: string
  /** The transaction in which it is written: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Asked>) => Promise<Asked>
}

/** `held`: a moderator looks at it first. */
export type Asked = { readonly id: number; readonly held: boolean }

/**
 * Asks the people of a city. One transaction: the question, or what waits for a moderator, and its event.
 * @throws Problem 404 where there is no such city, 422 `{errors}` with all faults at once
 */
export async function askQuestion(
  { db, clock, wakeEffects }: Pick<Services, 'db' | 'clock' | 'wakeEffects'>,
  { place, body, faults, asker, locale, requestId, inTransaction }: QuestionToAsk,
): Promise<Asked> {
  const city = await findCity(db, place)
  if (!city) throw problems.notFound('The place')
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (Object.keys(faults).length > 0 || typeof given['question'] !== 'string') throw problems.invalidErrors(faults)
  const question = given['question'].trim()
  const wanted = typeof given['locale'] === 'string' ? given['locale'] : locale
  const at = clock()
  let owed: readonly OwedEffect[] = []
  const asked = await inTransaction(async (tx) => {
    const author = await lockAsker(tx, { id: asker.id, question, now: at })
    // The account went away while the body was on its way.
    if (!author) throw problems.loginNeeded()
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
      owed = await recordEvent(tx, { type: 'question.held', subject_id: id, actor_id: asker.id, request_id: requestId })
    } else {
      owed = await publishQuestion(tx, { question_id: id, asker_id: asker.id, at, request_id: requestId })
    }
    return { id, held }
  })
  wakeEffects(owed)
  return asked
}
