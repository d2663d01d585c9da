import Type, { type Static } from 'typebox'

import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  translations,
  type Database,
  type Queryable,
  type Sql,
  sql,
} from '../../database/database.ts'
import { outcomes } from '../../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'
import { type MailKey, NOTIFY_WITHIN_DAYS } from '../../mail/rules.ts'

/**
 * Locations of users are shared rounded to a hundredth of a degree, so that 200 m around an issue are not known. A follower whose rounded
 * location is within this distance in metres is asked.
 */
const NEIGHBOUR_MAX_M = 1_000

/** The issue `i` is closed since the change `closing`, and was not opened again. */
const isStillClosed: Sql = sql`
  i.moderation_state = 'passed' AND i.status IN ('Closed', 'Archived') AND NOT EXISTS (SELECT FROM status_changes later
    WHERE later.issue_id = i.id AND later.id > closing.id AND later.to_status <> 'Archived')`

/** The user `recipient` follows issue `i` and has reported it or shares a location near it. The author of the closing is not asked. */
const isAsked: Sql = sql`
  recipient.issue_mails AND recipient.id IS DISTINCT FROM closing.actor_id
  AND EXISTS (SELECT FROM follows follow WHERE follow.issue_id = i.id AND follow.user_id = recipient.id)
  AND (recipient.id = i.reporter_id OR recipient.share_location
    AND coalesce(ST_DWithin(recipient.location::geography, i.point::geography, ${NEIGHBOUR_MAX_M}, FALSE), FALSE))`

const AskedCount = Type.Object({ due: Count })

/**
 * Asks about closings that are due at `now`: removes their time and writes one event and the mails of each in one statement, so that each is
 * asked once. Closings of issues that were opened again, and those due for days, get no mail. Returns the number of closings.
 */
export async function askNextClosings(db: Database, now: Date, limit: number): Promise<number> {
  const timestamp = sql`${now.toISOString()}::timestamptz`
  const ask = sql`
    WITH due AS (
      SELECT s.id, s.issue_id, s.actor_id, s.ask_at FROM status_changes s
      WHERE s.ask_at <= ${timestamp} ORDER BY s.ask_at, s.id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED),
    asked AS (UPDATE status_changes s SET ask_at = NULL FROM due WHERE s.id = due.id),
    event AS (
      INSERT INTO events (type, subject_type, subject_id, payload, created_at)
      SELECT 'issue.closing_asked', 'issue', i.id, jsonb_build_object('status_change_id', closing.id), ${timestamp}
      FROM due closing JOIN issues i ON i.id = closing.issue_id
      WHERE ${isStillClosed} AND closing.ask_at > ${timestamp} - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
      ORDER BY closing.id
      RETURNING events.id, events.subject_id, (events.payload ->> 'status_change_id')::integer AS status_change_id),
    mail AS (
      INSERT INTO mails (kind, event_id, email_address_id, email, locale, issue_id)
      SELECT 'closing', event.id, address.id, NULL, NULL, NULL::integer
      FROM event
      JOIN due closing ON closing.id = event.status_change_id
      JOIN issues i ON i.id = event.subject_id
      JOIN follows followed ON followed.issue_id = i.id
      JOIN users recipient ON recipient.id = followed.user_id
      CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS id) address
      WHERE address.id IS NOT NULL AND ${isAsked}
      UNION ALL
      SELECT 'receipt', event.id, NULL, contact.value ->> 'caller_email', i.locale, i.id
      FROM event
      JOIN issues i ON i.id = event.subject_id
      JOIN issue_answers contact ON contact.issue_id = i.id AND contact.is_contact AND contact.value ->> 'caller_email' IS NOT NULL
      ORDER BY 2, 3)
    SELECT count(*)::integer AS due FROM due`
  const [counts] = await db.transaction((tx) => tx.query(sql.type(AskedCount)`${ask}`))
  return counts?.due ?? 0
}

const ClosingContent = Type.Object({
  status_change_id: Id,
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  outcome: nullable(stringEnum(outcomes)),
  passed_on_to: nullable(Type.String()),
  closed_at: Timestamp,
  lng: Type.Number(),
  lat: Type.Number(),
  organization: nullable(Type.Object({ name: Type.String(), translations: translations<{ readonly name: string }>() })),
  locale: Type.String(),
})
type ClosingContent = Static<typeof ClosingContent>

/** Returns undefined if the issue was opened again, or the recipient no longer wants the mail. The address of a caller is not checked. */
export const findClosingContent = (
  db: Queryable,
  { email_address_id }: Pick<MailKey, 'email_address_id'>,
  { status_change_id, isCaller }: { readonly status_change_id: number; readonly isCaller: boolean },
): Promise<ClosingContent | undefined> =>
  db.query(sql.first(ClosingContent)`
    SELECT closing.id AS status_change_id, i.id AS issue_id, i.summary, i.address, closing.outcome, closing.created_at AS closed_at, i.lng, i.lat,
      CASE WHEN why.moderation_state = 'passed' THEN closing.passed_on_to END AS passed_on_to,
      (SELECT json_build_object('name', o.name, 'translations', o.translations)
        FROM request_types rt JOIN organizations o ON o.id = rt.organization_id WHERE rt.id = i.request_type_id) AS organization,
      coalesce(CASE WHEN recipient.id = i.reporter_id THEN i.locale ELSE recipient.locale END, i.locale) AS locale
    FROM status_changes closing
    JOIN issues i ON i.id = closing.issue_id
    LEFT JOIN email_addresses address ON address.id = ${email_address_id}
    LEFT JOIN users recipient ON recipient.id = address.user_id
    LEFT JOIN comments why ON why.id = closing.comment_id
    WHERE closing.id = ${status_change_id} AND ${isStillClosed}
      AND ${isCaller ? sql`TRUE` : sql`address.id = ${notificationEmailAddressId} AND ${isAsked}`}`)
