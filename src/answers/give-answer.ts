import type { Transaction } from '../database/database.ts'
import { type PendingDelivery, recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { lockAuthor } from '../content-policy/author-queries.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import { reasonsToHold } from '../content-policy/policy.ts'
import { findQuestionToActOn, lockQuestion } from '../questions/write-queries.ts'
import type { Services } from '../services.ts'
import { publishAnswer } from './publish-answer.ts'
import { earlierAnswers, insertAnswer } from './write-queries.ts'

export interface AnswerToGive {
  readonly questionId: number
  readonly body: unknown
  readonly faults: ValidationErrors
  readonly answerer: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** Runs the transaction: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Given>) => Promise<Given>
}

/** `held` means that the answer is pending review. */
export type Given = { readonly id: number; readonly held: boolean }

/**
 * Answers a question in one transaction: the answer, or its pending review, the counts and the event.
 * @throws Problem 404 if the caller may not see the question, 422 `{errors}` with all validation errors, `base` if it is not
 * public
 */
export async function giveAnswer(
  { db, clock, dispatchDeliveries }: Pick<Services, 'db' | 'clock' | 'dispatchDeliveries'>,
  { questionId, body, faults, answerer, locale, requestId, inTransaction }: AnswerToGive,
): Promise<Given> {
  await findQuestionToActOn(db, questionId, answerer)
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (Object.keys(faults).length > 0 || typeof fields['answer'] !== 'string') throw problems.invalidErrors(faults)
  const answer = fields['answer'].trim()
  const wanted = typeof fields['locale'] === 'string' ? fields['locale'] : locale
  const at = clock()
  let deliveries: readonly PendingDelivery[] = []
  const given = await inTransaction(async (tx) => {
    await lockQuestion(tx, questionId, answerer)
    const author = await lockAuthor(tx, { id: answerer.id, text: answer, now: at }, earlierAnswers)
    const language = wanted ?? author.locale
    const reasons = reasonsToHold({
      texts: [answer],
      locale: language,
      authorSince: new Date(author.created_at),
      now: at,
      sameBefore: author.same_before,
      organizationHolds: false,
    })
    const held = reasons.length > 0
    const row = { question_id: questionId, answerer_id: answerer.id, answer, locale: language, at }
    const id = await insertAnswer(tx, { ...row, moderation_state: held ? 'held' : 'passed' })
    if (held) {
      const by = { actor_id: answerer.id, payload: { question_id: questionId }, request_id: requestId }
      await holdItem(tx, { subject_type: 'answer', subject_id: id, reasons, original: { answer }, at })
      deliveries = await recordEvent(tx, { type: 'answer.held', subject_id: id, ...by })
    } else {
      const by = { question_id: questionId, answerer_id: answerer.id, at, request_id: requestId }
      deliveries = await publishAnswer(tx, { answer_id: id, ...by })
    }
    return { id, held }
  })
  dispatchDeliveries(deliveries)
  return given
}
