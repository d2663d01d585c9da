import Type, { type Static } from 'typebox'

import {
  Id,
  nullable,
  Timestamp,
  type Database,
  empty,
  type PrismaHandle,
  type Queryable,
  sql,
  type Transaction,
  stringEnum,
} from '../database/database.ts'
import { moderationStates, statuses } from '../issue-lifecycle/status.ts'
import type { Endpoint } from './endpoint-queries.ts'

/** The lease of a report. */
export const LEASE_S = 120
const KeyRow = Type.Object({ idempotency_key: Type.String() })

/** Adds the row of an issue for an endpoint, unless another one has the report or gets it now. */
export async function addForwardedIssue(tx: Transaction, issueId: number, { organization_id, url }: Endpoint): Promise<void> {
  await tx.execute(sql`
    INSERT INTO forwarded_issues (issue_id, organization_id, endpoint_url) VALUES (${issueId}, ${organization_id}, ${url})
    ON CONFLICT (issue_id) DO UPDATE SET organization_id = excluded.organization_id, endpoint_url = excluded.endpoint_url, unknown_since = NULL
    WHERE forwarded_issues.forwarded_at IS NULL AND forwarded_issues.endpoint_url <> excluded.endpoint_url
      AND coalesce(forwarded_issues.leased_until < now(), TRUE)`)
}

/** Returns a part of the Idempotency-Key. */
export async function findForwardingKey(db: Queryable, issueId: number): Promise<string> {
  const [row] = await db.query(sql.type(KeyRow)`
    SELECT forwarded.idempotency_key FROM forwarded_issues forwarded WHERE forwarded.issue_id = ${issueId}`)
  return row?.idempotency_key ?? ''
}

export interface CreatedRequest {
  readonly service_request_id: string | null
  /** The endpoint gives the id later. */
  readonly token: string | null
}

export async function recordForwarded(
  tx: Transaction,
  issueId: number,
  { service_request_id, token }: CreatedRequest,
  status: string,
): Promise<void> {
  const forwarded = {
    service_request_id,
    token,
    forwarded_at: new Date(),
    leased_until: null,
    unknown_since: null,
    remote_status: status,
  }
  await tx.prisma.forwardedIssue.updateMany({ where: { issue_id: issueId }, data: forwarded })
  if (service_request_id !== null) await showLink(tx, issueId, { service_request_id, status })
}

const INTEGER_MAX = 2_147_483_647

/** Sets the field `integrations` of an issue. Its `remote_id` is an integer, so the title has ids of other forms. */
async function showLink(tx: PrismaHandle, issueId: number, link: { service_request_id: string; status: string }): Promise<void> {
  const { service_request_id, status } = link
  const isInteger = /^[1-9]\d{0,9}$/.test(service_request_id) && Number(service_request_id) <= INTEGER_MAX
  const remote_id = isInteger ? Number(service_request_id) : null
  const remote_title = `Open311 ${service_request_id}`
  await tx.prisma.issue.updateMany({ where: { id: issueId }, data: { remote_id, remote_title, remote_status: status } })
}

/** Sets the id that an endpoint gave later. */
export async function recordServiceRequestId(db: Database, issueId: number, serviceRequestId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const polled = { service_request_id: serviceRequestId, polled_at: new Date() }
    await tx.prisma.forwardedIssue.updateMany({ where: { issue_id: issueId }, data: polled })
    await showLink(tx, issueId, { service_request_id: serviceRequestId, status: 'open' })
  })
}

/** The status at the endpoint is unknown until it is read, or until the endpoint accepts a status. Readers of the issue see the last known one. */
export async function forgetRemoteStatus(tx: PrismaHandle, issue_id: number): Promise<void> {
  await tx.prisma.forwardedIssue.updateMany({ where: { issue_id }, data: { remote_status: null } })
}

/**
 * Returns false if the status is the stored one, apart from letter case.
 * @param keepsUnknown an unknown status stays unknown, although readers of the issue see this one
 */
export async function setRemoteStatus(
  tx: Transaction,
  issueId: number,
  remoteStatus: string,
  keepsUnknown = false,
): Promise<boolean> {
  const status = remoteStatus.toLowerCase()
  const changed = await tx.execute(sql`
    UPDATE forwarded_issues forwarded SET remote_status = CASE WHEN ${keepsUnknown} AND forwarded.remote_status IS NULL THEN NULL ELSE ${status} END
    WHERE forwarded.issue_id = ${issueId} AND forwarded.remote_status IS DISTINCT FROM ${status}`)
  if (changed === 0) return false
  await tx.prisma.issue.updateMany({
    where: { id: issueId, OR: [{ remote_status: null }, { remote_status: { not: status } }] },
    data: { remote_status: status },
  })
  return true
}

const TokenRow = Type.Object({ issue_id: Id, token: Type.String() })

/** Returns reports whose id is not known yet, those first that were polled longest ago, and marks them as polled. */
export function leaseTokens(db: Queryable, { organization_id, url }: Endpoint, count: number): Promise<Static<typeof TokenRow>[]> {
  return db.query(sql.type(TokenRow)`
    UPDATE forwarded_issues forwarded SET polled_at = now()
    WHERE forwarded.issue_id IN (
      SELECT waiting.issue_id FROM forwarded_issues waiting
      WHERE waiting.organization_id = ${organization_id} AND waiting.endpoint_url = ${url} AND waiting.token IS NOT NULL
        AND waiting.service_request_id IS NULL
      ORDER BY waiting.polled_at NULLS FIRST, waiting.issue_id LIMIT ${count})
    RETURNING forwarded.issue_id, forwarded.token`)
}

const LeasedLinkRow = Type.Object({ issue_id: Id, service_request_id: Type.String(), remote_status: nullable(Type.String()) })
type LeasedLink = Static<typeof LeasedLinkRow>

/** Returns the issues of service requests, the oldest link first: an endpoint may merge two reports into one. */
export const findLinks = (db: PrismaHandle, { organization_id, url }: Endpoint, ids: readonly string[]) =>
  db.prisma.forwardedIssue.findMany({
    where: { organization_id, endpoint_url: url, service_request_id: { in: [...ids] } },
    select: { issue_id: true, service_request_id: true },
    orderBy: { issue_id: 'asc' },
  })

/**
 * Returns links whose status may still change, those first that were polled longest ago, and marks them as polled.
 * @param which `unknown` for those whose status at the endpoint is unknown
 */
export function leaseLinks(
  db: Queryable,
  { organization_id, url }: Endpoint,
  count: number,
  which: 'all' | 'unknown',
): Promise<LeasedLink[]> {
  return db.query(sql.type(LeasedLinkRow)`
    UPDATE forwarded_issues forwarded SET polled_at = now()
    WHERE forwarded.issue_id IN (
      SELECT linked.issue_id FROM forwarded_issues linked JOIN issues i ON i.id = linked.issue_id
      WHERE linked.organization_id = ${organization_id} AND linked.endpoint_url = ${url} AND linked.service_request_id IS NOT NULL
        AND i.status <> 'Archived' ${which === 'unknown' ? sql`AND linked.remote_status IS NULL` : empty}
      ORDER BY linked.polled_at NULLS FIRST, linked.issue_id LIMIT ${count})
    RETURNING forwarded.issue_id, forwarded.service_request_id, forwarded.remote_status`)
}

const LockedIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  moderation_state: stringEnum(moderationStates),
  /**
   * The last change: by this service, to the second, until the endpoint lists it, then by the time at which the endpoint lists it, or an update of
   * the endpoint by its own clock. If the status at the endpoint is unknown, only updates of the endpoint count.
   */
  status_changed_at: nullable(Timestamp),
  /** The status at the endpoint; null if it is unknown, because it may have refused the last change by this service. */
  remote_status: nullable(Type.String()),
  /** A change by this service that the endpoint does not know yet will be its status. */
  has_unsent_change: Type.Boolean(),
})
export type LockedIssue = Static<typeof LockedIssue>

/** Locks the row of the issue for the transaction. Returns undefined if it was deleted. */
export const lockForwardedIssue = (tx: Transaction, issueId: number): Promise<LockedIssue | undefined> =>
  tx.query(sql.first(LockedIssue)`
    SELECT i.id, i.status, i.moderation_state,
      greatest(
        (SELECT date_trunc('second', max(s.created_at)) FROM status_changes s
          WHERE s.issue_id = i.id AND s.from_status IS NOT NULL AND forwarded.remote_status IS NOT NULL AND NOT EXISTS (
            SELECT FROM forwarded_updates known WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))),
        (SELECT max(coalesce(sent.happened_at, date_trunc('second', sent.sent_at))) FROM forwarded_updates sent JOIN status_changes s ON s.comment_id = sent.comment_id
          WHERE sent.issue_id = i.id AND NOT sent.is_received AND forwarded.remote_status IS NOT NULL),
        (SELECT max(least(received.happened_at, now())) FROM forwarded_updates received
          WHERE received.issue_id = i.id AND received.is_received)) AS status_changed_at,
      forwarded.remote_status,
      EXISTS (
        SELECT FROM events event
        JOIN outbox_deliveries delivery ON delivery.event_id = event.id AND delivery.handler = 'forward-update'
        JOIN status_changes s ON s.issue_id = i.id AND s.comment_id = (event.payload ->> 'comment_id')::integer
        JOIN forwarding_endpoints endpoint ON endpoint.organization_id = forwarded.organization_id AND endpoint.sends_updates
        WHERE event.subject_type = 'issue' AND event.subject_id = i.id AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
          AND NOT EXISTS (
            SELECT FROM forwarded_updates known
            WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))) AS has_unsent_change
    FROM issues i LEFT JOIN forwarded_issues forwarded ON forwarded.issue_id = i.id
    WHERE i.id = ${issueId} FOR NO KEY UPDATE OF i`)
