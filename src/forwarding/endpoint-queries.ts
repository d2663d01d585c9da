import Type, { type Static } from 'typebox'

import {
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type Executable,
  type PrismaHandle,
  type Queryable,
  sql,
} from '../database/database.ts'
import { endpointFormats, sharedData } from '../organizations/forwarding-settings.ts'

const EndpointRow = Type.Object({
  organization_id: Id,
  url: Type.String(),
  jurisdiction_id: nullable(Type.String()),
  api_key: nullable(Type.String()),
  format: stringEnum(endpointFormats),
  sends_reports: Type.Boolean(),
  sends_updates: Type.Boolean(),
  receives_updates: Type.Boolean(),
  extended_statuses: Type.Boolean(),
  shared: Type.Array(stringEnum(sharedData)),
  receiver_email: nullable(Type.String()),
  updates_read_until: Timestamp,
  /** Older updates are to be read again. */
  must_look_back: Type.Boolean(),
  /** The endpoint asked for a pause; null if it is over. */
  paused_until: nullable(Timestamp),
})
export type Endpoint = Static<typeof EndpointRow>

const LOOK_BACK_EVERY_S = 3_600

const endpointColumns = sql`endpoint.organization_id, endpoint.url, endpoint.jurisdiction_id, endpoint.api_key, endpoint.format,
  endpoint.sends_reports, endpoint.sends_updates, endpoint.receives_updates, endpoint.extended_statuses, endpoint.shared,
  endpoint.receiver_email, endpoint.updates_read_until,
  endpoint.looked_back_at < now() - make_interval(secs => ${LOOK_BACK_EVERY_S}) AS must_look_back,
  CASE WHEN endpoint.paused_until > now() THEN endpoint.paused_until END AS paused_until`

/** Returns the endpoint of the organisation to whose request type the issue belongs. */
export const findEndpointOfIssue = (db: Queryable, issueId: number): Promise<Endpoint | undefined> =>
  db.query(sql.first(EndpointRow)`
    SELECT ${endpointColumns} FROM issues i
    JOIN request_types rt ON rt.id = i.request_type_id
    JOIN forwarding_endpoints endpoint ON endpoint.organization_id = rt.organization_id
    WHERE i.id = ${issueId}`)

/** A poll ends before its lease, so that two processes do not poll the same endpoint at once. */
export const POLL_LEASE_S = 300
const POLL_EVERY_S = 60
const POLL_PAUSE_MAX_S = 3_600

/** Endpoints that give an id later (`token`) are polled also if they send no updates. */
export const leaseDueEndpoint = (db: Queryable): Promise<Endpoint | undefined> =>
  db.query(sql.first(EndpointRow)`
    UPDATE forwarding_endpoints endpoint SET poll_due_at = now() + make_interval(secs => ${POLL_LEASE_S})
    WHERE endpoint.organization_id = (
      SELECT due.organization_id FROM forwarding_endpoints due
      WHERE due.poll_due_at <= now() AND coalesce(due.paused_until <= now(), TRUE) AND (due.receives_updates OR EXISTS (
        SELECT FROM forwarded_issues forwarded
        WHERE forwarded.organization_id = due.organization_id AND forwarded.token IS NOT NULL AND forwarded.service_request_id IS NULL))
      ORDER BY due.poll_due_at, due.organization_id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${endpointColumns}`)

/**
 * Ends the lease. Failures double the time until the next poll, up to an hour.
 * @param error without personal data
 * @param isFailure false if the next poll is expected to succeed
 */
export async function recordPoll(
  db: Executable,
  { organization_id }: Endpoint,
  error: string | null,
  isFailure = error !== null,
): Promise<void> {
  await db.execute(sql`
    UPDATE forwarding_endpoints endpoint SET last_poll_error = ${error}::text,
      poll_failures = CASE WHEN ${isFailure} THEN endpoint.poll_failures + 1 ELSE 0 END,
      poll_due_at = now() + make_interval(secs => CASE WHEN NOT ${isFailure} THEN ${POLL_EVERY_S}::float8
        ELSE least(${POLL_PAUSE_MAX_S}::float8, ${POLL_EVERY_S} * 2 ^ least(endpoint.poll_failures, 20)) END)
    WHERE endpoint.organization_id = ${organization_id}`)
}

/** Starts a pause, during which nothing is sent to the endpoint. Returns its end. */
export async function pauseEndpoint(db: Queryable, { organization_id }: Endpoint, seconds: number): Promise<string> {
  const [paused] = await db.query(sql.type(Type.Object({ paused_until: Timestamp }))`
    UPDATE forwarding_endpoints endpoint
    SET paused_until = greatest(endpoint.paused_until, now() + make_interval(secs => ${seconds}::float8))
    WHERE endpoint.organization_id = ${organization_id} RETURNING endpoint.paused_until`)
  return paused?.paused_until ?? new Date(Date.now() + seconds * 1_000).toISOString()
}

/** Does nothing if the organisation has another endpoint meanwhile. */
export async function setUpdatesReadUntil(db: Executable, { organization_id, url }: Endpoint, until: Date): Promise<void> {
  await db.execute(sql`
    UPDATE forwarding_endpoints endpoint SET updates_read_until = greatest(endpoint.updates_read_until, ${until.toISOString()}::timestamptz)
    WHERE endpoint.organization_id = ${organization_id} AND endpoint.url = ${url}`)
}

export async function recordLookBack(db: PrismaHandle, { organization_id, url }: Endpoint): Promise<void> {
  await db.prisma.forwardingEndpoint.updateMany({ where: { organization_id, url }, data: { looked_back_at: new Date() } })
}

const ReceiverRow = Type.Object({ id: Id, locale: Type.String(), created_at: Timestamp })
export type Receiver = Static<typeof ReceiverRow>

/** Returns the member of the organisation who has confirmed the address of the settings. */
export const findReceiver = (db: Queryable, { organization_id, receiver_email }: Endpoint): Promise<Receiver | undefined> =>
  db.query(sql.first(ReceiverRow)`
    SELECT u.id, u.locale, u.created_at FROM email_addresses e
    JOIN users u ON u.id = e.user_id
    JOIN organization_members m ON m.user_id = u.id AND m.organization_id = ${organization_id}
    WHERE lower(e.email) = lower(${receiver_email}) AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL`)
