import type { QuestionNews } from '../../outbox/event-types.ts'
import { type Queryable, type Sql, sql, type Transaction } from '../../database/database.ts'
import type { LeasedNotice, WantedNotice } from './queries.ts'
import { NOTICES_WITHIN_DAYS } from './recipients.ts'
import { noticeAddress } from '../../mail/address.ts'

/*
 * A notice of a question goes to one person: to the asker for an answer, to the answerer when theirs is accepted, to an author when a
 * moderator rejected what they wrote. Who wants it is said here once and asked twice, as with notices of issues. An alias `n` is a row of
 * `newsOf`, `u` one of `users`.
 */

/** Of the text of an answer no more is read; a mail quotes less. */
const ANSWER_MAX = 2_000

/** Of a question; a mail shows its beginning in one line. */
const QUESTION_MAX = 500

/** What a notice tells. */
export interface QuestionNotice {
  readonly event_id: number
  readonly type: QuestionNews
  readonly question_id: number
  /** Null where it does not show to whoever gets the mail. */
  readonly question: string | null
  /** The name of the city. */
  readonly place: string
  readonly answer: string | null
  /** The name of whoever did it; null where the account is gone. */
  readonly who: string | null
  /** What the moderator wrote who rejected it; null where nothing. */
  readonly reason: string | null
}

/**
 * These events with what they are about, as long as there is something to tell: not of what was hidden or taken back meanwhile. An answer
 * that was accepted again and again is told once.
 * @param ids a list or a subquery of ids of events
 */
const newsOf = (ids: Sql): Sql => sql`
  SELECT v.id AS event_id, v.type, v.actor_id, q.id AS question_id, q.question, q.moderation_state AS question_state, p.name AS place,
    a.answer, a.answerer_id, (v.payload ->> 'moderation_item_id')::integer AS item_id,
    CASE WHEN v.type IN ('answer.given', 'question.rejected') THEN q.asker_id ELSE a.answerer_id END AS to_id,
    CASE WHEN v.type IN ('answer.given', 'question.rejected') THEN q.locale ELSE a.locale END AS written_in
  FROM events v
  LEFT JOIN answers a ON v.subject_type = 'answer' AND a.id = v.subject_id
  JOIN questions q ON q.id = CASE v.subject_type WHEN 'question' THEN v.subject_id ELSE a.question_id END
  JOIN places p ON p.id = q.place_id
  WHERE v.id IN (${ids}) AND v.created_at > now() - make_interval(days => ${NOTICES_WITHIN_DAYS}::integer)
    AND CASE v.type
      WHEN 'question.rejected' THEN q.moderation_state = 'rejected'
      WHEN 'answer.rejected' THEN a.moderation_state = 'rejected'
      WHEN 'answer.given' THEN a.moderation_state = 'passed' AND q.moderation_state = 'passed'
      WHEN 'answer.accepted' THEN a.moderation_state = 'passed' AND q.moderation_state = 'passed' AND a.accepted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM events l
          WHERE l.subject_type = 'answer' AND l.subject_id = a.id AND l.type = 'answer.accepted' AND l.id > v.id)
        AND NOT EXISTS (SELECT FROM events l JOIN mail_deliveries d ON d.event_id = l.id
          WHERE l.subject_type = 'answer' AND l.subject_id = a.id AND l.type = 'answer.accepted' AND l.id < v.id AND d.sent_at IS NOT NULL)
      ELSE FALSE END`

/** Nobody is told what they did themselves; what became of a text its author is told, whoever the event says did it. */
const wants: Sql = sql`
  u.issue_mails AND u.id = n.to_id
  AND (n.type IN ('question.rejected', 'answer.rejected')
    OR (u.id IS DISTINCT FROM n.actor_id AND (n.type <> 'answer.given' OR u.id IS DISTINCT FROM n.answerer_id)))
  AND NOT EXISTS (SELECT FROM question_mutes m WHERE m.question_id = n.question_id AND m.user_id = u.id)`

/** Writes who is to be told of an event, and gives their number: one, or none. */
export async function addQuestionNotice(tx: Transaction, eventId: number): Promise<number> {
  const added = await tx.query(sql`
    INSERT INTO mail_deliveries (event_id, email_id, due_at)
    SELECT r.event_id, r.email_id, now()
    FROM (
      SELECT n.event_id, ${noticeAddress} AS email_id
      FROM (${newsOf(sql`${eventId}`)}) n JOIN users u ON ${wants}) r
    WHERE r.email_id IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING mail_deliveries.email_id`)
  return added.length
}

/** Which of these notices about questions are still wanted, and in which language: not those that are missing here. */
export function listWantedQuestionNotices(db: Queryable, notices: readonly LeasedNotice[]): Promise<WantedNotice[]> {
  return db.query<WantedNotice>(sql`
    SELECT l.event_id, l.email_id, coalesce(n.written_in, u.locale) AS locale
    FROM unnest(${notices.map((one) => one.event_id)}::bigint[], ${notices.map((one) => one.email_id)}::integer[]) AS l (event_id, email_id)
    JOIN emails e ON e.id = l.email_id
    JOIN users u ON u.id = e.user_id
    JOIN (${newsOf(eventsOf(notices))}) n ON n.event_id = l.event_id
    WHERE e.id = ${noticeAddress} AND ${wants}
    ORDER BY l.event_id, l.email_id`)
}

/** What there is to tell of these events, now; those of which there is nothing any more are left out. */
export function listQuestionNotices(db: Queryable, notices: readonly LeasedNotice[]): Promise<QuestionNotice[]> {
  return db.query<QuestionNotice>(sql`
    SELECT n.event_id, n.type, n.question_id, n.place, left(n.answer, ${ANSWER_MAX}::integer) AS answer,
      CASE WHEN n.question_state = 'passed' OR n.type = 'question.rejected' THEN left(n.question, ${QUESTION_MAX}::integer) END AS question,
      -- Which moderator rejected something nobody is told.
      (SELECT w.name FROM users w
        WHERE w.id = CASE n.type WHEN 'answer.given' THEN n.answerer_id WHEN 'answer.accepted' THEN n.actor_id END) AS who,
      (SELECT m.rejection_reason FROM moderation_items m WHERE m.id = n.item_id AND m.state = 'rejected') AS reason
    FROM (${newsOf(eventsOf(notices))}) n
    ORDER BY n.event_id`)
}

const eventsOf = (notices: readonly LeasedNotice[]) =>
  sql`SELECT unnest(${[...new Set(notices.map(({ event_id }) => event_id))]}::bigint[])`
