import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { type ClosingCaller, type ClosingSubject, emailAddressHash } from '../../mail/unsubscribe-token.ts'

const AskedClosing = Type.Object({
  issue_id: Id,
  summary: Type.String(),
  status: stringEnum(statuses),
  closed_at: Timestamp,
  /** False if the issue was opened again after this closing. */
  is_current: Type.Boolean(),
  /** Null for a caller without an account. */
  user_id: nullable(Id),
  user_name: nullable(Type.String()),
  caller_email: nullable(Type.String()),
  locale: Type.String(),
  is_fixed: nullable(Type.Boolean()),
})
export type AskedClosing = Static<typeof AskedClosing>

/** Returns undefined if the closing, or the user or caller does not exist, or the issue is not public. */
export async function findAskedClosing(
  db: Queryable,
  { status_change_id, ...who }: ClosingSubject | ClosingCaller,
): Promise<AskedClosing | undefined> {
  const [user_id, address_hash] = 'user_id' in who ? [who.user_id, null] : [null, who.address_hash]
  const email = sql`contact.value ->> 'caller_email'`
  return db.query(sql.first(AskedClosing)`
    SELECT i.id AS issue_id, i.summary, i.status, s.created_at AS closed_at, u.id AS user_id, u.name AS user_name, caller.email AS caller_email,
      coalesce(CASE WHEN i.reporter_id = u.id THEN i.locale ELSE u.locale END, i.locale) AS locale, a.is_fixed,
      i.status IN ('Closed', 'Archived') AND NOT EXISTS (SELECT FROM status_changes later
        WHERE later.issue_id = i.id AND later.id > s.id AND later.to_status <> 'Archived') AS is_current
    FROM status_changes s
    JOIN issues i ON i.id = s.issue_id AND i.moderation_state = 'passed'
    LEFT JOIN LATERAL (SELECT ${email} AS email FROM issue_answers contact
      WHERE contact.issue_id = i.id AND contact.is_contact AND ${emailAddressHash(email)} = ${address_hash}::text) caller ON TRUE
    LEFT JOIN users u ON u.id = coalesce(${user_id}::integer, (SELECT e.user_id FROM email_addresses e
      WHERE lower(e.email) = lower(caller.email) AND e.confirmed_at IS NOT NULL))
    LEFT JOIN closing_answers a ON a.status_change_id = s.id AND a.user_id = u.id
    WHERE s.id = ${status_change_id} AND s.to_status = 'Closed' AND (u.id IS NOT NULL OR caller.email IS NOT NULL)`)
}

interface ClosingAnswer extends ClosingSubject {
  readonly issue_id: number
  readonly is_fixed: boolean
  readonly now: Date
}

/** Stores the answer in place of an earlier one of the user. */
export async function recordClosingAnswer(
  tx: Transaction,
  { user_id, status_change_id, issue_id, is_fixed, now }: ClosingAnswer,
): Promise<void> {
  await tx.prisma.closingAnswer.upsert({
    where: { status_change_id_user_id: { status_change_id, user_id } },
    create: { status_change_id, user_id, issue_id, is_fixed, answered_at: now },
    update: { is_fixed, answered_at: now },
  })
  await tx.execute(sql`SELECT revise_issue(${issue_id}, TRUE)`)
}

const CopiedIssue = Type.Object({
  summary: Type.String(),
  category: Type.String(),
  lng: Type.Number(),
  lat: Type.Number(),
  address: nullable(Type.String()),
  request_type_id: nullable(Id),
  reviews_all: Type.Boolean(),
})

/** Returns the columns of an issue that a report of the same problem repeats. */
export const findCopiedIssue = (db: Queryable, id: number): Promise<Static<typeof CopiedIssue> | undefined> =>
  db.query(sql.first(CopiedIssue)`
    SELECT i.summary, i.category, i.lng, i.lat, i.address, rt.id AS request_type_id, coalesce(o.hold_everything, FALSE) AS reviews_all
    FROM issues i
    LEFT JOIN request_types rt ON rt.id = i.request_type_id AND rt.active
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE i.id = ${id}`)
