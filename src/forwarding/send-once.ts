import Type, { type Static } from 'typebox'

import { Count, nullable, Timestamp, type Database, sql, type Sql, type Transaction } from '../database/database.ts'
import { type EndpointClient, EndpointRefusal, isUndone, pauseOf } from '../georeport/endpoint-client.ts'
import { createGeoReportClient, type GeoReportClient } from '../georeport/geo-report.ts'
import type { Urls } from '../http/request/urls.ts'
import { FinalDeliveryError } from '../outbox/queries.ts'
import type { JobLog } from '../queue/log.ts'
import { type Endpoint, pauseEndpoint } from './endpoint-queries.ts'

export interface ForwardingServices {
  readonly db: Database
  readonly urls: Urls
  readonly log: JobLog
  readonly endpoints: EndpointClient
}

export type ForwardingResult =
  | ((tx: Transaction) => Promise<void>)
  | { readonly postponedUntil: string }
  | 'still pending'
  | undefined

/** A row that is sent to an endpoint once. In its fragments of SQL the table is named `sent`. */
export interface Sendable {
  readonly name: 'issue' | 'update'
  readonly table: Sql
  readonly row: Sql
  /** The condition is true if the endpoint has it. */
  readonly isDone: Sql
  /** The lease in seconds. An attempt ends before it. */
  readonly lease_s: number
  /** Statuses after which the same delivery would fail again. */
  readonly refused: ReadonlySet<number>
  /** Fields of log lines. */
  readonly logged: object
  /** Adds the row, in the transaction of the lease. */
  readonly addRow: (tx: Transaction) => Promise<unknown>
  readonly onLeased?: (tx: Transaction) => Promise<void>
}

const LeaseRow = Type.Object({
  attempts: Count,
  /** Time of the first attempt that may have been successful; null if there was none. */
  unknown_since: nullable(Timestamp),
})

interface Attempt extends Static<typeof LeaseRow> {
  readonly client: GeoReportClient
  /** Set it once the endpoint may have accepted what was sent. */
  isPosted: boolean
}

const StoredLease = Type.Object({ ...LeaseRow.properties, is_done: Type.Boolean(), is_leased: Type.Boolean() })

/**
 * Runs `send` with a lease of the row and returns the write that records what was sent; undefined if there is nothing to send. After an attempt
 * without a response, `send` asks the endpoint for it first.
 * @throws EndpointError, EndpointRefusal; FinalDeliveryError if the endpoint refuses what is sent
 */
export async function sendOnce(
  { db, log, endpoints }: ForwardingServices,
  endpoint: Endpoint,
  sendable: Sendable,
  signal: AbortSignal,
  send: (attempt: Attempt) => Promise<{ readonly record: (tx: Transaction) => Promise<void>; readonly logged: object }>,
): Promise<ForwardingResult> {
  const { name, lease_s, refused } = sendable
  if (endpoint.paused_until !== null) return { postponedUntil: endpoint.paused_until }
  const lease = await startLease(db, sendable)
  if (lease === undefined) return 'still pending'
  if (lease === 'done') return undefined
  const client = createGeoReportClient(endpoints, endpoint, AbortSignal.any([signal, AbortSignal.timeout((lease_s - 10) * 1_000)]))
  const logged = { ...sendable.logged, organization_id: endpoint.organization_id, attempts: lease.attempts }
  const attempt: Attempt = { ...lease, client, isPosted: false }
  try {
    const sent = await send(attempt)
    log.info({ ...logged, ...sent.logged }, `${name} forwarded`)
    return sent.record
  } catch (error) {
    const mayBeSent = attempt.isPosted && !isUndone(error)
    await endLease(db, sendable, lease.unknown_since ?? (mayBeSent ? new Date().toISOString() : null))
    if (error instanceof EndpointRefusal && error.isDuplicate) {
      log.info(logged, `${name} not forwarded, because it came from the endpoint`)
      return undefined
    }
    log.warn({ ...logged, err: error }, `${name} not forwarded`)
    const pause_s = pauseOf(error)
    if (pause_s !== undefined) return { postponedUntil: await pauseEndpoint(db, endpoint, pause_s) }
    if (error instanceof EndpointRefusal && refused.has(error.status)) throw new FinalDeliveryError(error.message)
    throw error
  }
}

/** Returns undefined if another process has the lease, and `done` if the endpoint has what is to be sent. */
function startLease(db: Database, { table, row, isDone, lease_s, addRow, onLeased }: Sendable) {
  return db.transaction(async (tx) => {
    await addRow(tx)
    const [stored] = await tx.query(sql.type(StoredLease)`
      SELECT sent.attempts, sent.unknown_since, ${isDone} AS is_done, coalesce(sent.leased_until > now(), FALSE) AS is_leased
      FROM ${table} sent WHERE ${row} FOR UPDATE`)
    if (!stored || stored.is_done) return 'done'
    if (stored.is_leased) return undefined
    // A process that stops during the request records nothing, so its outcome counts as unknown from now on.
    await tx.execute(sql`
      UPDATE ${table} sent SET attempts = sent.attempts + 1, leased_until = now() + make_interval(secs => ${lease_s}),
        unknown_since = coalesce(sent.unknown_since, now())
      WHERE ${row}`)
    await onLeased?.(tx)
    return { attempts: stored.attempts + 1, unknown_since: stored.unknown_since }
  })
}

/** An endpoint lists what is new within this time. */
const UNKNOWN_PAUSE_S = 60

/** Ends a lease without success. @param unknownSince null if the endpoint has certainly not accepted what was sent */
async function endLease(db: Database, { table, row, isDone }: Sendable, unknownSince: string | null): Promise<void> {
  await db.execute(sql`
    UPDATE ${table} sent SET unknown_since = ${unknownSince}::timestamptz,
      leased_until = CASE WHEN ${unknownSince}::timestamptz IS NULL THEN NULL ELSE now() + make_interval(secs => ${UNKNOWN_PAUSE_S}) END
    WHERE ${row} AND NOT (${isDone})`)
}
