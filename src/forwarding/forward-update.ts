import { EndpointError, isUndone, unlessUnsupported } from '../georeport/endpoint-error.ts'
import { CLOCK_DIFFERENCE_MS, createGeoReportClient, type GeoReportClient, toGeoReportTime } from '../georeport/geo-report.ts'
import { textOf } from '../georeport/parse-response.ts'
import { toUpdateStatus } from './statuses.ts'
import type { Urls } from '../http/request/urls.ts'
import { finalIfRefused } from './final-if-refused.ts'
import { type Endpoint, findEndpointOfIssue } from './endpoint-queries.ts'
import type { ForwardingResult, ForwardingServices } from './forward-issue.ts'
import type { StoredEvent } from '../outbox/queries.ts'
import { findUpdate, leaseUpdate, recordSentUpdate, releaseUpdate, type Update } from './update-queries.ts'

/** The resource of FixMyStreet's extension of GeoReport v2. */
export const UPDATES = 'servicerequestupdates'

/**
 * Sends a public comment, with the status that it set, to the endpoint that has the issue, once and in order. Updates that the endpoint has
 * sent are never returned to it. Returns the write that records it; undefined if there is nothing to send.
 * @throws EndpointError, EndpointRefusal; FinalDeliveryError if the endpoint refuses the update itself
 */
export async function forwardUpdate(
  { db, urls, log, endpoints }: ForwardingServices,
  { id: event_id, payload: { comment_id } }: Pick<StoredEvent, 'id' | 'payload'>,
  signal: AbortSignal,
): Promise<ForwardingResult> {
  if (typeof comment_id !== 'number') return undefined
  const update = await findUpdate(db, comment_id, event_id)
  const endpoint = update && (await findEndpointOfIssue(db, update.issue_id))
  if (!update || !endpoint?.sends_updates || update.is_received) return undefined
  if (update.must_wait) return 'still pending'
  const { issue_id, service_request_id } = update
  if (service_request_id === null || update.endpoint_url !== endpoint.url) return undefined
  const lease = await leaseUpdate(db, update)
  if (lease === undefined) return 'still pending'
  if (lease === 'done') return undefined
  const client = createGeoReportClient(endpoints, endpoint, signal)
  const logged = { issue_id, comment_id, organization_id: endpoint.organization_id, attempts: lease.attempts }
  const progress = { isPosted: false }
  try {
    const request = { ...update, service_request_id }
    const found = lease.unknown_since === null ? undefined : await findSentUpdate(client, request, lease.unknown_since)
    if (found === undefined) progress.isPosted = true
    const remoteId = found ?? (await postUpdate(client, request, endpoint, urls))
    log.info({ ...logged, update_id: remoteId, is_found: found !== undefined }, 'update forwarded')
    return (tx) => recordSentUpdate(tx, comment_id, remoteId)
  } catch (error) {
    const mayBeDone = progress.isPosted && !isUndone(error)
    await releaseUpdate(db, comment_id, lease.unknown_since ?? (mayBeDone ? new Date().toISOString() : null))
    log.warn({ ...logged, err: error }, 'update not forwarded')
    throw finalIfRefused(error, REFUSED)
  }
}

/** The same update would be refused again, or the endpoint takes none. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 413, 415, 422, 501])

type ForwardedUpdate = Omit<Update, 'service_request_id'> & { readonly service_request_id: string }

/** The id of the comment makes a repeated update recognizable. Returns the id of the endpoint, null if it gives none. */
async function postUpdate(
  client: GeoReportClient,
  update: ForwardedUpdate,
  endpoint: Endpoint,
  urls: Urls,
): Promise<string | null> {
  const form = new URLSearchParams({
    service_request_id: update.service_request_id,
    update_id: String(update.comment_id),
    status: toUpdateStatus(update.status, endpoint.extended_statuses),
    updated_datetime: toGeoReportTime(new Date(update.created_at)),
    description: update.comment,
  })
  if (update.image !== null) form.set('media_url', urls.at(`/files/${update.image}`))
  const [record] = await client.post(UPDATES, form)
  if (!record) throw new EndpointError('the response has no update', true)
  return textOf(record, 'update_id') ?? null
}

/** Returns the endpoint's id of an update that an earlier attempt has created. */
async function findSentUpdate(client: GeoReportClient, update: ForwardedUpdate, since: string): Promise<string | undefined> {
  const records = await unlessUnsupported(
    client.get(UPDATES, {
      start_date: toGeoReportTime(new Date(Math.min(Date.parse(since), Date.parse(update.created_at)) - CLOCK_DIFFERENCE_MS)),
      end_date: toGeoReportTime(new Date(Date.now() + CLOCK_DIFFERENCE_MS)),
    }),
  )
  const found = records.find(
    (record) =>
      textOf(record, 'service_request_id') === update.service_request_id &&
      withoutSpaces(textOf(record, 'description') ?? '') === withoutSpaces(update.comment),
  )
  return found && textOf(found, 'update_id')
}

const withoutSpaces = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
