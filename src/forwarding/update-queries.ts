import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { type Database, type Executable, type Queryable, sql, type Transaction } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { forgetRemoteStatus } from './issue-queries.ts'

const UpdateRow = Type.Object({
  issue_id: Id,
  comment_id: Id,
  comment: Type.String(),
  created_at: Timestamp,
  image: nullable(Type.String()),
  /** The status after the update, or the current one if a later update was sent before this one. */
  status: stringEnum(statuses),
  /** It set the status, and no update of the endpoint has changed it since. */
  sets_status: Type.Boolean(),
  is_received: Type.Boolean(),
  endpoint_url: nullable(Type.String()),
  service_request_id: nullable(Type.String()),
  /** The report or an earlier update of the issue is to be sent first. */
  must_wait: Type.Boolean(),
})
export type Update = Static<typeof UpdateRow>

/** Returns a public comment, with the status that its event set; undefined if it is not public or was deleted. */
export async function findUpdate(db: Queryable, commentId: number, eventId: number): Promise<Update | undefined> {
  const deliveries = (condition: ReturnType<typeof sql>) => sql`
    SELECT FROM outbox_deliveries delivery JOIN events event ON event.id = delivery.event_id
    WHERE ${condition} AND (event.subject_type, event.subject_id) IN (
      SELECT 'issue', i.id UNION ALL SELECT 'comment', other.id FROM comments other WHERE other.issue_id = i.id)`
  const [update] = await db.query(sql.type(UpdateRow)`
    SELECT i.id AS issue_id, c.id AS comment_id, c.comment, c.created_at, coalesce(stored.is_received, FALSE) AS is_received,
      forwarded.endpoint_url, forwarded.service_request_id,
      (SELECT m.full_key FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1) AS image,
      CASE WHEN EXISTS (${deliveries(sql`delivery.handler = 'forward-update' AND delivery.delivered_at IS NOT NULL AND delivery.event_id > ${eventId}`)})
        THEN i.status
        ELSE coalesce(
          (SELECT s.to_status FROM status_changes s WHERE s.comment_id = c.id ORDER BY s.id DESC LIMIT 1),
          (SELECT s.from_status FROM status_changes s
            WHERE s.issue_id = i.id AND s.from_status IS NOT NULL AND s.created_at > c.created_at ORDER BY s.id LIMIT 1),
          i.status) END AS status,
      EXISTS (
        SELECT FROM status_changes s WHERE s.comment_id = c.id AND NOT EXISTS (
          SELECT FROM status_changes later JOIN forwarded_updates received ON received.comment_id = later.comment_id AND received.is_received
          WHERE later.issue_id = s.issue_id AND later.id > s.id)) AS sets_status,
      (forwarded.token IS NOT NULL AND forwarded.service_request_id IS NULL)
        OR EXISTS (${deliveries(sql`delivery.handler = 'forward-issue' AND delivery.delivered_at IS NULL`)})
        OR EXISTS (${deliveries(sql`delivery.handler = 'forward-update' AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
          AND delivery.event_id < ${eventId}`)}) AS must_wait
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    LEFT JOIN forwarded_issues forwarded ON forwarded.issue_id = i.id
    LEFT JOIN forwarded_updates stored ON stored.comment_id = c.id
    WHERE c.id = ${commentId} AND c.moderation_state = 'passed' AND i.moderation_state = 'passed'`)
  return update
}

/** Returns the ids at the endpoint of the updates that were sent or received. */
export async function listKnownIds(db: Database, issue_id: number): Promise<Set<string>> {
  const known = await db.prisma.forwardedUpdate.findMany({ where: { issue_id }, select: { remote_update_id: true } })
  return new Set(known.flatMap(({ remote_update_id }) => remote_update_id ?? []))
}

/** The lease in seconds. An attempt ends before it. */
export const LEASE_S = 60
export const UPDATE_ATTEMPT_MAX_MS = (LEASE_S - 10) * 1_000
/** An endpoint lists a new update within this time. */
const UNKNOWN_PAUSE_S = 60

const LeaseRow = Type.Object({ attempts: Count, unknown_since: nullable(Timestamp) })
export type UpdateLease = Static<typeof LeaseRow>

const StoredLease = Type.Object({ ...LeaseRow.properties, is_done: Type.Boolean(), is_leased: Type.Boolean() })

/**
 * Returns undefined if another process has the lease, and `done` if the endpoint has the update or has sent it. From now on the status at the
 * endpoint is unknown if the update sets it.
 */
export async function leaseUpdate(
  db: Database,
  { issue_id, comment_id, sets_status }: Pick<Update, 'issue_id' | 'comment_id' | 'sets_status'>,
): Promise<UpdateLease | 'done' | undefined> {
  return db.transaction(async (tx) => {
    await tx.prisma.forwardedUpdate.createMany({ data: { issue_id, comment_id, is_received: false }, skipDuplicates: true })
    const [row] = await tx.query(sql.type(StoredLease)`
      SELECT stored.attempts, stored.unknown_since, stored.is_received OR stored.sent_at IS NOT NULL OR stored.remote_update_id IS NOT NULL AS is_done,
        coalesce(stored.leased_until > now(), FALSE) AS is_leased
      FROM forwarded_updates stored WHERE stored.comment_id = ${comment_id} FOR UPDATE`)
    if (!row || row.is_done) return 'done'
    if (row.is_leased) return undefined
    await tx.execute(sql`
      UPDATE forwarded_updates stored SET attempts = stored.attempts + 1, leased_until = now() + make_interval(secs => ${LEASE_S}),
        unknown_since = coalesce(stored.unknown_since, now())
      WHERE stored.comment_id = ${comment_id}`)
    if (sets_status) await forgetRemoteStatus(tx, issue_id)
    return { attempts: row.attempts + 1, unknown_since: row.unknown_since }
  })
}

/** Ends a lease without success. @param unknownSince null if the endpoint has certainly not accepted the update */
export async function releaseUpdate(db: Executable, commentId: number, unknownSince: string | null): Promise<void> {
  await db.execute(sql`
    UPDATE forwarded_updates stored SET unknown_since = ${unknownSince}::timestamptz,
      leased_until = CASE WHEN ${unknownSince}::timestamptz IS NULL THEN NULL ELSE now() + make_interval(secs => ${UNKNOWN_PAUSE_S}) END
    WHERE stored.comment_id = ${commentId} AND stored.sent_at IS NULL`)
}

export async function recordSentUpdate(tx: Transaction, commentId: number, remoteUpdateId: string | null): Promise<void> {
  await tx.execute(sql`
    UPDATE forwarded_updates stored SET sent_at = now(), leased_until = NULL, unknown_since = NULL,
      remote_update_id = CASE WHEN EXISTS (
        SELECT FROM forwarded_updates other
        WHERE other.issue_id = stored.issue_id AND other.remote_update_id = ${remoteUpdateId}::text) THEN stored.remote_update_id
        ELSE coalesce(${remoteUpdateId}::text, stored.remote_update_id) END
    WHERE stored.comment_id = ${commentId}`)
}
