import { type GeoReportClient, CLOCK_DIFFERENCE_MS, listAllPages, toGeoReportTime } from '../georeport/geo-report.ts'
import { applyUpdate, type ReceivedUpdate, isOlder } from './apply-update.ts'
import { type Endpoint, type Receiver, recordLookBack, setUpdatesReadUntil } from './endpoint-queries.ts'
import type { ForwardingServices } from './send-once.ts'
import Type from 'typebox'
import { IdRow, Id, nullable, type Queryable, sql, type Database } from '../database/database.ts'
import { EndpointOverflow } from '../georeport/endpoint-client.ts'
import { type ParsedRecord, textOf, readState } from '../georeport/parse-response.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { updateIdOf, UPDATES } from './update-queries.ts'
import { findLinks, forgetRemoteStatus, lockForwardedIssue } from './issue-queries.ts'
import { isSentText } from './form-variants.ts'

export interface PollServices extends ForwardingServices {
  readonly clock: () => Date
}

export interface Poll {
  readonly services: PollServices
  readonly endpoint: Endpoint
  readonly client: GeoReportClient
  readonly receiver: Receiver
  readonly counts: { received: number }
  /** Problems that ended no poll, without personal data. */
  readonly notes: string[]
}

/** Runs the work for one update. If it fails, other updates are read nevertheless, and this one is read again within an hour. */
export async function attempt<Result>(poll: Poll, update: ReceivedUpdate, work: () => Promise<Result>): Promise<Result | 'failed'> {
  const { services, endpoint, notes } = poll
  return work().catch((error: unknown) => {
    const { issue_id, update_id } = update
    services.log.warn(
      { issue_id, update_id, organization_id: endpoint.organization_id, err: error },
      'an update could not be applied',
    )
    notes.push(`an update of issue ${issue_id} could not be applied`)
    return 'failed' as const
  })
}

export async function apply({ services, receiver, counts, endpoint }: Poll, update: ReceivedUpdate): Promise<void> {
  const { db, log, clock } = services
  const applied = await db.transaction((tx) => applyUpdate(tx, update, receiver, clock()))
  if (applied === 'known') return
  counts.received++
  const { issue_id, update_id, status } = update
  log.info({ issue_id, update_id, status, organization_id: endpoint.organization_id }, 'update received')
}

/** Limit of one poll, which then ends before its lease. The next poll continues. */
const WINDOWS_MAX = 8
const LOOK_BACK_WINDOWS_MAX = 50
const WINDOW_MAX_MS = 24 * 60 * 60_000
const WINDOW_MIN_MS = 60_000
const LOOK_BACK_MS = 3 * 24 * 60 * 60_000

/** Applies the updates since the last poll. Once an hour older ones are read again. @throws EndpointRefusal, EndpointError */
export async function readUpdates(poll: Poll): Promise<void> {
  const { services, endpoint } = poll
  const now = services.clock()
  const readUntil = new Date(endpoint.updates_read_until)
  const onRead = (until: Date) => setUpdatesReadUntil(services.db, endpoint, until)
  await readPeriod(poll, { start: readUntil, end: now, windowsMax: WINDOWS_MAX, onRead })
  if (!endpoint.must_look_back) return
  const start = new Date(now.getTime() - LOOK_BACK_MS)
  const hasUnread = await readPeriod(poll, { start, end: readUntil, windowsMax: LOOK_BACK_WINDOWS_MAX })
  if (!hasUnread) await recordLookBack(services.db, endpoint)
}

interface Period {
  readonly start: Date
  readonly end: Date
  readonly windowsMax: number
  /** Stores the time until which updates are applied. */
  readonly onRead?: (until: Date) => Promise<void>
}

/**
 * The windows overlap, because clocks differ and entries appear late; each update is applied once by its id. A window with too many or too long
 * updates is halved. Returns true if an update cannot be applied yet.
 */
async function readPeriod(poll: Poll, { start, end, windowsMax, onRead }: Period): Promise<boolean> {
  let from = start
  let length = WINDOW_MAX_MS
  for (let window = 0; window < windowsMax && from < end;) {
    const until = new Date(Math.min(from.getTime() + length, end.getTime()))
    const records = await listWindow(poll, from, until, length)
    if (records === 'too many' && length > WINDOW_MIN_MS) {
      length = Math.max(Math.min(length, until.getTime() - from.getTime()) / 2, WINDOW_MIN_MS)
      continue
    }
    if (records === 'too many') poll.notes.push(`the updates around ${toGeoReportTime(from)} are too large to be read`)
    const unread = records === 'too many' ? undefined : await applyRecords(poll, records)
    from = unread ?? until
    length = Math.min(length * 2, WINDOW_MAX_MS)
    window++
    await onRead?.(from)
    if (unread) return true
  }
  return false
}

/** A short window has a short overlap, so that it excludes what is too large. */
async function listWindow({ client }: Poll, from: Date, until: Date, length: number): Promise<ParsedRecord[] | 'too many'> {
  const overlap = Math.min(CLOCK_DIFFERENCE_MS, length)
  const period = {
    start_date: toGeoReportTime(new Date(from.getTime() - overlap)),
    end_date: toGeoReportTime(new Date(until.getTime() + overlap)),
  }
  return listAllPages(client, UPDATES, 'update_id', period).catch((error: unknown) => {
    if (error instanceof EndpointOverflow) return 'too many'
    throw error
  })
}

/** Returns the time of the first update that cannot be applied yet. */
async function applyRecords(poll: Poll, records: readonly ParsedRecord[]): Promise<Date | undefined> {
  const { services, endpoint } = poll
  const updates = records.flatMap((record) => toUpdate(record) ?? [])
  const links = await findLinks(services.db, endpoint, [...new Set(updates.map(({ service_request_id }) => service_request_id))])
  const inOrder = separateTimes(updates.toSorted((a, b) => (a.happened_at?.getTime() ?? 0) - (b.happened_at?.getTime() ?? 0)))
  const received = inOrder.flatMap(({ service_request_id, ...update }) =>
    links.filter((link) => link.service_request_id === service_request_id).map(({ issue_id }) => ({ issue_id, ...update })),
  )
  const beingSent = await findBeingSent(
    services.db,
    received.map(({ issue_id }) => issue_id),
  )
  const ready = received.filter(({ issue_id }) => !beingSent.has(issue_id))
  // The times of all sent updates are stored first, so that updates of the endpoint are compared with them by its clock.
  const origins = new Map<ReceivedUpdate, Awaited<ReturnType<typeof findOrigin>> | 'failed'>()
  for (const update of ready) origins.set(update, await attempt(poll, update, () => findOrigin(services.db, update)))
  for (const update of ready) {
    const origin = origins.get(update)
    if (origin === 'endpoint') await attempt(poll, update, () => apply(poll, update))
    if (origin === 'sent, and listed for the first time')
      await attempt(poll, update, () => compareListedStatus(services.db, update))
  }
  return received.find(({ issue_id, happened_at }) => happened_at && beingSent.has(issue_id))?.happened_at
}

type Listed = Omit<ReceivedUpdate, 'issue_id'> & { readonly service_request_id: string }

/** Endpoints give times to the second. Updates of a service request in the same second are in the order of the list. */
function separateTimes(updates: readonly Listed[]): Listed[] {
  const counts = new Map<string, number>()
  return updates.map((update) => {
    if (!update.happened_at) return update
    const key = `${update.service_request_id} ${update.happened_at.getTime()}`
    const earlier = counts.get(key) ?? 0
    counts.set(key, earlier + 1)
    return { ...update, happened_at: new Date(update.happened_at.getTime() + earlier) }
  })
}

/** The endpoint may list an update before it has responded to it. */
async function findBeingSent(db: Queryable, issueIds: readonly number[]): Promise<ReadonlySet<number>> {
  const sending = await db.query(sql.type(IdRow)`
    SELECT DISTINCT stored.issue_id AS id FROM forwarded_updates stored
    WHERE stored.issue_id = ANY (${[...issueIds]}::integer[]) AND NOT stored.is_received AND stored.sent_at IS NULL AND stored.leased_until > now()`)
  return new Set(sending.map(({ id }) => id))
}

const STATUS_MAX = 100

function toUpdate(record: ParsedRecord): Listed | undefined {
  const [update_id, service_request_id] = [updateIdOf(record), textOf(record, 'service_request_id')]
  // Another installation of this service gives its exact status.
  const exact = textOf(record, 'external_status_code')
  if (update_id === undefined || service_request_id === undefined) return undefined
  const time = Date.parse(textOf(record, 'updated_datetime') ?? '')
  return {
    update_id,
    service_request_id,
    status: (isOwnStatus(exact) ? exact : textOf(record, 'status'))?.slice(0, STATUS_MAX),
    text: textOf(record, 'description'),
    media_url: textOf(record, 'media_url'),
    happened_at: Number.isNaN(time) ? undefined : new Date(time),
  }
}

const isOwnStatus = (text: string | undefined) => statuses.some((status) => status === text)

const SentRow = Type.Object({ id: Id, comment: Type.String(), remote_update_id: nullable(Type.String()) })

/**
 * Endpoints list the updates that were sent to them. One whose id is not known, because the response was lost or had none, is recognized by its
 * text and time.
 */
async function findOrigin(
  db: Database,
  { issue_id, update_id, text, happened_at }: ReceivedUpdate,
): Promise<'endpoint' | 'sent' | 'sent, and listed for the first time'> {
  const candidates = await db.query(sql.type(SentRow)`
    SELECT sent.id, c.comment, sent.remote_update_id FROM forwarded_updates sent JOIN comments c ON c.id = sent.comment_id
    WHERE sent.issue_id = ${issue_id} AND NOT sent.is_received AND (sent.remote_update_id = ${update_id} OR (
      sent.remote_update_id IS NULL AND (sent.sent_at IS NOT NULL OR sent.unknown_since IS NOT NULL)
      AND coalesce(${happened_at?.toISOString() ?? null}::timestamptz BETWEEN c.created_at - make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000})
        AND coalesce(sent.sent_at, now()) + make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000}), TRUE)
      AND NOT EXISTS (SELECT FROM forwarded_updates known WHERE known.issue_id = ${issue_id} AND known.remote_update_id = ${update_id})))
    ORDER BY sent.remote_update_id NULLS LAST, sent.id`)
  const found = candidates.find(({ comment, remote_update_id }) => remote_update_id !== null || isSentText(text ?? '', comment))
  if (!found) return 'endpoint'
  const changed = await db.execute(sql`
    UPDATE forwarded_updates stored
    SET remote_update_id = ${update_id}, happened_at = coalesce(stored.happened_at, ${happened_at?.toISOString() ?? null}::timestamptz)
    WHERE stored.id = ${found.id} AND (stored.remote_update_id IS NULL OR stored.happened_at IS NULL)`)
  return changed > 0 ? 'sent, and listed for the first time' : 'sent'
}

/**
 * The endpoint may have another status than the one that it accepted: an update that opens an issue leaves it acknowledged, for example. Then
 * the status is to be read.
 */
function compareListedStatus(db: Database, update: ReceivedUpdate): Promise<void> {
  return db.transaction(async (tx) => {
    const issue = await lockForwardedIssue(tx, update.issue_id)
    const listed = readState(update.status)
    if (!issue || listed === undefined || isOlder(update, issue)) return
    if (listed !== readState(issue.remote_status ?? undefined)) await forgetRemoteStatus(tx, issue.id)
  })
}
