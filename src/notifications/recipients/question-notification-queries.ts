import Type, { type Static } from 'typebox'

import { Id, nullable, oneOf } from '../../database/columns.ts'
import { questionNotificationEventTypes } from '../../outbox/event-types.ts'
import { type Queryable, type Sql, sql, type Transaction } from '../../database/database.ts'
import { type LeasedNotificationMail, WantedNotification } from './notification-queries.ts'
import { NOTIFY_WITHIN_DAYS } from './recipients.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'

/**
 * A notification about a question has one recipient. The conditions run when the mail is written and again when it is leased. The
 * alias `n` is a row of `selectQuestionNotificationEvents`, and `u` is a row of `users`.
 */

const ANSWER_MAX = 2_000

const QUESTION_MAX = 500

const QuestionNotificationContent = Type.Object({
  event_id: Id,
  type: oneOf(questionNotificationEventTypes),
  question_id: Id,
  question: nullable(Type.String()),
  place: Type.String(),
  answer: nullable(Type.String()),
  actor_name: nullable(Type.String()),
  reason: nullable(Type.String()),
})
export type QuestionNotificationContent = Static<typeof QuestionNotificationContent>

/** Repeated acceptances of the same answer give one notification. @param ids a list or a subquery of event ids */
const selectQuestionNotificationEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, q.id AS question_id, q.question, q.moderation_state AS question_state,
    p.name AS place, a.answer, a.answerer_id, (event.payload ->> 'moderation_item_id')::integer AS item_id,
    CASE WHEN event.type IN ('answer.given', 'question.rejected') THEN q.asker_id ELSE a.answerer_id END AS recipient_id,
    CASE WHEN event.type IN ('answer.given', 'question.rejected') THEN q.locale ELSE a.locale END AS text_locale
  FROM events event
  LEFT JOIN answers a ON event.subject_type = 'answer' AND a.id = event.subject_id
  JOIN questions q ON q.id = CASE event.subject_type WHEN 'question' THEN event.subject_id ELSE a.question_id END
  JOIN places p ON p.id = q.place_id
  WHERE event.id IN (${ids}) AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE event.type
      WHEN 'question.rejected' THEN q.moderation_state = 'rejected'
      WHEN 'answer.rejected' THEN a.moderation_state = 'rejected'
      WHEN 'answer.given' THEN a.moderation_state = 'passed' AND q.moderation_state = 'passed'
      WHEN 'answer.accepted' THEN a.moderation_state = 'passed' AND q.moderation_state = 'passed' AND a.accepted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM events later
          WHERE later.subject_type = 'answer' AND later.subject_id = a.id AND later.type = 'answer.accepted' AND later.id > event.id)
        AND NOT EXISTS (SELECT FROM events earlier JOIN mails mail ON mail.event_id = earlier.id
          WHERE earlier.subject_type = 'answer' AND earlier.subject_id = a.id AND earlier.type = 'answer.accepted' AND earlier.id < event.id
            AND mail.sent_at IS NOT NULL)
      ELSE FALSE END`

const wantsNotification: Sql = sql`
  u.issue_mails AND u.id = n.recipient_id
  AND (n.type IN ('question.rejected', 'answer.rejected')
    OR (u.id IS DISTINCT FROM n.actor_id AND (n.type <> 'answer.given' OR u.id IS DISTINCT FROM n.answerer_id)))
  AND NOT EXISTS (SELECT FROM question_mutes m WHERE m.question_id = n.question_id AND m.user_id = u.id)`

export function addQuestionNotificationMail(tx: Transaction, eventId: number): Promise<number> {
  return tx.execute(sql`
    INSERT INTO mails (event_id, email_id, due_at)
    SELECT r.event_id, r.email_id, now()
    FROM (
      SELECT n.event_id, ${notificationEmailAddressId} AS email_id
      FROM (${selectQuestionNotificationEvents(sql`${eventId}`)}) n JOIN users u ON ${wantsNotification}) r
    WHERE r.email_id IS NOT NULL
    ON CONFLICT DO NOTHING`)
}

export function listWantedQuestionNotifications(
  db: Queryable,
  notifications: readonly LeasedNotificationMail[],
): Promise<WantedNotification[]> {
  return db.query(
    WantedNotification,
    sql`
      SELECT l.event_id, l.email_id, coalesce(n.text_locale, u.locale) AS locale
      FROM unnest(${notifications.map((one) => one.event_id)}::bigint[], ${notifications.map((one) => one.email_id)}::integer[]) AS l (event_id, email_id)
      JOIN emails email ON email.id = l.email_id
      JOIN users u ON u.id = email.user_id
      JOIN (${selectQuestionNotificationEvents(eventIds(notifications))}) n ON n.event_id = l.event_id
      WHERE email.id = ${notificationEmailAddressId} AND ${wantsNotification}
      ORDER BY l.event_id, l.email_id`,
  )
}

export function listQuestionNotificationContents(
  db: Queryable,
  notifications: readonly LeasedNotificationMail[],
): Promise<QuestionNotificationContent[]> {
  return db.query(
    QuestionNotificationContent,
    sql`
      SELECT n.event_id, n.type, n.question_id, n.place, left(n.answer, ${ANSWER_MAX}::integer) AS answer,
        CASE WHEN n.question_state = 'passed' OR n.type = 'question.rejected' THEN left(n.question, ${QUESTION_MAX}::integer) END AS question,
        -- The name of the moderator is private.
        (SELECT w.name FROM users w
          WHERE w.id = CASE n.type WHEN 'answer.given' THEN n.answerer_id WHEN 'answer.accepted' THEN n.actor_id END) AS actor_name,
        (SELECT m.rejection_reason FROM moderation_items m WHERE m.id = n.item_id AND m.state = 'rejected') AS reason
      FROM (${selectQuestionNotificationEvents(eventIds(notifications))}) n
      ORDER BY n.event_id`,
  )
}

const eventIds = (notifications: readonly LeasedNotificationMail[]) =>
  sql`SELECT unnest(${[...new Set(notifications.map(({ event_id }) => event_id))]}::bigint[])`
