import { IdRow } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { EndpointError, EndpointRefusal } from '../georeport/endpoint-error.ts'
import {
  CLOCK_DIFFERENCE_MS,
  createGeoReportClient,
  type GeoReportClient,
  listAllPages,
  toGeoReportTime,
} from '../georeport/geo-report.ts'
import { type ParsedRecord, textOf } from '../georeport/parse-response.ts'
import { readState } from '../georeport/update-states.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import type { OutboxDelivery } from '../outbox/queries.ts'
import { applyUpdate, type ReceivedUpdate } from './apply-update.ts'
import { type Endpoint, findReceiver, type Receiver, setUpdatesReadUntil } from './endpoint-queries.ts'
import type { ForwardingServices } from './forward-issue.ts'
import { UPDATES } from './forward-update.ts'
import { findLinks, leaseLinks, leaseTokens, recordRejectedToken, recordServiceRequestId } from './issue-queries.ts'

export interface PollServices extends ForwardingServices {
  readonly clock: () => Date
  readonly enqueueDeliveries: (deliveries: readonly OutboxDelivery[]) => Promise<void>
}

/** Limits of one poll, which then ends before its lease. The next poll continues. */
const WINDOWS_MAX = 8
const LOOK_BACK_MS = 3 * 24 * 60 * 60_000
const WINDOW_MAX_MS = 24 * 60 * 60_000
const TOKENS_MAX = 20
const LINKS_MAX = 200
const LINKS_PER_REQUEST = 50

interface Poll {
  readonly services: PollServices
  readonly endpoint: Endpoint
  readonly client: GeoReportClient
  readonly receiver: Receiver
  readonly counts: { received: number }
}

/** Reads ids of accepted reports and updates of an endpoint. Returns the number of new updates. @throws EndpointError, EndpointRefusal */
export async function pollEndpoint(services: PollServices, endpoint: Endpoint, signal: AbortSignal): Promise<number> {
  const client = createGeoReportClient(services.endpoints, endpoint, signal)
  await readTokens(services, endpoint, client)
  if (!endpoint.receives_updates) return 0
  const receiver = await findReceiver(services.db, endpoint)
  if (!receiver) throw new EndpointError('the receiver is no member of the organisation with a confirmed address', false)
  const poll: Poll = { services, endpoint, client, receiver, counts: { received: 0 } }
  if (!(await readUpdates(poll))) await readStatuses(poll)
  return poll.counts.received
}

async function readTokens({ db, log }: PollServices, endpoint: Endpoint, client: GeoReportClient): Promise<void> {
  for (const { issue_id, token } of await leaseTokens(db, endpoint, TOKENS_MAX)) {
    try {
      const [record] = await client.get(`tokens/${encodeURIComponent(token)}`, {})
      const id = record && textOf(record, 'service_request_id')
      if (id !== undefined) await recordServiceRequestId(db, issue_id, id)
    } catch (error) {
      if (!(error instanceof EndpointRefusal) || error.status !== 404) throw error
      log.warn({ issue_id, organization_id: endpoint.organization_id }, 'the endpoint has rejected a forwarded issue')
      await recordRejectedToken(db, issue_id)
    }
  }
}

/**
 * Applies the updates since the last poll. The windows overlap, because clocks differ and entries appear late; each update is applied once by
 * its id. Returns false if the endpoint does not list updates.
 */
async function readUpdates(poll: Poll): Promise<boolean> {
  const { services, endpoint, client } = poll
  const now = services.clock()
  const readUntil = Date.parse(endpoint.updates_read_until)
  let from = new Date(endpoint.must_look_back ? Math.min(readUntil, now.getTime() - LOOK_BACK_MS) : readUntil)
  for (let window = 0; window < WINDOWS_MAX && from < now; window++) {
    const until = new Date(Math.min(from.getTime() + WINDOW_MAX_MS, now.getTime()))
    let records: ParsedRecord[]
    try {
      records = await listAllPages(client, UPDATES, 'update_id', {
        start_date: toGeoReportTime(new Date(from.getTime() - CLOCK_DIFFERENCE_MS)),
        end_date: toGeoReportTime(new Date(until.getTime() + CLOCK_DIFFERENCE_MS)),
      })
    } catch (error) {
      if (error instanceof EndpointRefusal && LACKS_UPDATES.has(error.status)) return false
      throw error
    }
    const unread = await applyRecords(poll, records)
    from = unread ?? until
    await setUpdatesReadUntil(services.db, endpoint, from, endpoint.must_look_back && from >= now)
    if (unread) break
  }
  return true
}

const LACKS_UPDATES = new Set([404, 405, 501])

/** Returns the time of the first update that cannot be applied yet. */
async function applyRecords(poll: Poll, records: readonly ParsedRecord[]): Promise<Date | undefined> {
  const { services, endpoint } = poll
  const updates = records.flatMap((record) => toUpdate(record) ?? [])
  const links = await findLinks(services.db, endpoint, [...new Set(updates.map(({ service_request_id }) => service_request_id))])
  let unread: Date | undefined
  const inOrder = updates.sort((a, b) => (a.happened_at?.getTime() ?? 0) - (b.happened_at?.getTime() ?? 0))
  for (const { service_request_id, ...update } of inOrder) {
    for (const { issue_id } of links.filter((link) => link.service_request_id === service_request_id)) {
      if (await isBeingSent(services.db, issue_id)) unread ??= update.happened_at
      else await apply(poll, { issue_id, ...update })
    }
  }
  return unread
}

/** The endpoint may list an update before it has responded to it. */
async function isBeingSent(db: Queryable, issueId: number): Promise<boolean> {
  const sending = await db.query(
    IdRow,
    sql`
      SELECT stored.id FROM forwarded_updates stored
      WHERE stored.issue_id = ${issueId} AND NOT stored.is_received AND stored.sent_at IS NULL AND stored.leased_until > now()
      LIMIT 1`,
  )
  return sending.length > 0
}

async function apply({ services, receiver, counts, endpoint }: Poll, update: ReceivedUpdate): Promise<void> {
  const { db, log, clock, enqueueDeliveries } = services
  const applied = await db.transaction((tx) => applyUpdate(tx, update, receiver, clock()))
  if (typeof applied === 'string') return
  counts.received++
  const { issue_id, update_id, status } = update
  log.info({ issue_id, update_id, status, organization_id: endpoint.organization_id }, 'update received')
  await enqueueDeliveries(applied)
}

function toUpdate(record: ParsedRecord): (Omit<ReceivedUpdate, 'issue_id'> & { service_request_id: string }) | undefined {
  const [update_id, service_request_id] = [textOf(record, 'update_id'), textOf(record, 'service_request_id')]
  // Another installation of this service gives its exact status, and archives closed issues as this one does.
  const exact = textOf(record, 'external_status_code')
  if (update_id === undefined || service_request_id === undefined || exact === 'Archived') return undefined
  const time = Date.parse(textOf(record, 'updated_datetime') ?? '')
  return {
    update_id,
    service_request_id,
    status: isOwnStatus(exact) ? exact : textOf(record, 'status'),
    text: textOf(record, 'description'),
    media_url: textOf(record, 'media_url'),
    happened_at: Number.isNaN(time) ? undefined : new Date(time),
  }
}

const isOwnStatus = (text: string | undefined) => statuses.some((status) => status === text)

/** Reads the statuses of service requests, for endpoints without a list of updates. */
async function readStatuses(poll: Poll): Promise<void> {
  const { services, endpoint, client } = poll
  const links = await leaseLinks(services.db, endpoint, LINKS_MAX)
  for (let first = 0; first < links.length; first += LINKS_PER_REQUEST) {
    const part = links.slice(first, first + LINKS_PER_REQUEST)
    const records = await client.get('requests', { service_request_id: part.map((link) => link.service_request_id).join(',') })
    for (const record of records) {
      const id = textOf(record, 'service_request_id')
      for (const { issue_id } of part.filter((link) => link.service_request_id === id))
        await apply(poll, toStatus(issue_id, record))
    }
  }
}

/** `status_notes` is a text for residents, or the exact status. */
function toStatus(issue_id: number, record: ParsedRecord): ReceivedUpdate {
  const [status, notes] = [textOf(record, 'status'), textOf(record, 'status_notes')]
  const isExact = readState(notes) !== undefined
  return {
    issue_id,
    update_id: null,
    status: isExact ? notes : status,
    text: isExact ? undefined : notes,
    media_url: undefined,
    happened_at: undefined,
  }
}
