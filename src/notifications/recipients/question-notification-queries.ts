import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Queryable, type Sql, sql, type Transaction } from '../../database/database.ts'
import { questionNotificationEventTypes } from '../../outbox/event-types.ts'
import { type MailKey, EligibleRecipient, NOTIFY_WITHIN_DAYS } from '../../mail/rules.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'

/**
 * A notification about a question has one recipient. The conditions run when the mail is written and again when it is leased. In
 * them, `event` is a row of `selectQuestionNotificationEvents`, and `recipient` is a row of `users`.
 */

const ANSWER_MAX = 2_000

const QUESTION_MAX = 500

const QuestionNotificationContent = Type.Object({
  event_id: Id,
  type: stringEnum(questionNotificationEventTypes),
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
  SELECT event.id AS event_id, event.type, event.actor_id, question.id AS question_id, question.question,
    question.moderation_state AS question_state, place.name AS place, answer.answer, answer.answerer_id, (event.payload ->> 'moderation_item_id')::integer AS item_id,
    CASE WHEN event.type IN ('answer.given', 'question.rejected') THEN question.asker_id ELSE answer.answerer_id END AS recipient_id,
    CASE WHEN event.type IN ('answer.given', 'question.rejected') THEN question.locale ELSE answer.locale END AS text_locale
  FROM events event
  LEFT JOIN answers answer ON event.subject_type = 'answer' AND answer.id = event.subject_id
  JOIN questions question ON question.id = CASE event.subject_type WHEN 'question' THEN event.subject_id ELSE answer.question_id END
  JOIN places place ON place.id = question.place_id
  WHERE event.id IN (${ids}) AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE event.type
      WHEN 'question.rejected' THEN question.moderation_state = 'rejected'
      WHEN 'answer.rejected' THEN answer.moderation_state = 'rejected'
      WHEN 'answer.given' THEN answer.moderation_state = 'passed' AND question.moderation_state = 'passed'
      WHEN 'answer.accepted' THEN answer.moderation_state = 'passed' AND question.moderation_state = 'passed' AND answer.accepted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM events later
          WHERE later.subject_type = 'answer' AND later.subject_id = answer.id AND later.type = 'answer.accepted' AND later.id > event.id)
        AND NOT EXISTS (SELECT FROM events earlier JOIN mails mail ON mail.event_id = earlier.id
          WHERE earlier.subject_type = 'answer' AND earlier.subject_id = answer.id AND earlier.type = 'answer.accepted' AND earlier.id < event.id
            AND mail.sent_at IS NOT NULL)
      ELSE FALSE END`

const isRecipient: Sql = sql`
  recipient.issue_mails AND recipient.id = event.recipient_id
  AND (event.type IN ('question.rejected', 'answer.rejected')
    OR (recipient.id IS DISTINCT FROM event.actor_id AND (event.type <> 'answer.given' OR recipient.id IS DISTINCT FROM event.answerer_id)))
  AND NOT EXISTS (SELECT FROM question_mutes mute WHERE mute.question_id = event.question_id AND mute.user_id = recipient.id)`

export function addQuestionMail(tx: Transaction, eventId: number): Promise<number> {
  return tx.execute(sql`
    INSERT INTO mails (kind, event_id, email_address_id)
    SELECT 'question', written.event_id, written.email_address_id
    FROM (
      SELECT event.event_id, ${notificationEmailAddressId} AS email_address_id
      FROM (${selectQuestionNotificationEvents(sql`${eventId}`)}) event JOIN users recipient ON ${isRecipient}) written
    WHERE written.email_address_id IS NOT NULL
    ON CONFLICT DO NOTHING`)
}

export function listEligibleQuestionRecipients(db: Queryable, mails: readonly MailKey[]): Promise<EligibleRecipient[]> {
  return db.query(sql.type(EligibleRecipient)`
    SELECT mail.event_id, mail.email_address_id, coalesce(event.text_locale, recipient.locale) AS locale
    FROM unnest(${mails.map((mail) => mail.event_id)}::bigint[], ${mails.map((mail) => mail.email_address_id)}::integer[])
      AS mail (event_id, email_address_id)
    JOIN email_addresses address ON address.id = mail.email_address_id
    JOIN users recipient ON recipient.id = address.user_id
    JOIN (${selectQuestionNotificationEvents(eventIds(mails))}) event ON event.event_id = mail.event_id
    WHERE address.id = ${notificationEmailAddressId} AND ${isRecipient}
    ORDER BY mail.event_id, mail.email_address_id`)
}

export function listQuestionNotificationContents(db: Queryable, mails: readonly MailKey[]): Promise<QuestionNotificationContent[]> {
  return db.query(sql.type(QuestionNotificationContent)`
    SELECT event.event_id, event.type, event.question_id, event.place, left(event.answer, ${ANSWER_MAX}::integer) AS answer,
      CASE WHEN event.question_state = 'passed' OR event.type = 'question.rejected' THEN left(event.question, ${QUESTION_MAX}::integer) END AS question,
      -- The name of the moderator is private.
      (SELECT author.name FROM users author
        WHERE author.id = CASE event.type WHEN 'answer.given' THEN event.answerer_id WHEN 'answer.accepted' THEN event.actor_id END) AS actor_name,
      (SELECT item.rejection_reason FROM moderation_items item WHERE item.id = event.item_id AND item.state = 'rejected') AS reason
    FROM (${selectQuestionNotificationEvents(eventIds(mails))}) event
    ORDER BY event.event_id`)
}

const eventIds = (mails: readonly MailKey[]) => sql`SELECT unnest(${[...new Set(mails.map(({ event_id }) => event_id))]}::bigint[])`
