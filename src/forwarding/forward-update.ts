import { createHash } from 'node:crypto'

import { cutDescription } from '../georeport/description.ts'
import { EndpointError, isUndone, unlessUnsupported } from '../georeport/endpoint-error.ts'
import { createGeoReportClient, type GeoReportClient, listAllPages, periodSince, toGeoReportTime } from '../georeport/geo-report.ts'
import { ID_MAX, type ParsedRecord, textOf } from '../georeport/parse-response.ts'
import { toState } from '../georeport/update-states.ts'
import type { Urls } from '../http/request/urls.ts'
import { isInvalid, postAccepted, withLinkInText, withoutStatus, withStatus } from './form-variants.ts'
import { type Endpoint, findEndpointOfIssue } from './endpoint-queries.ts'
import type { ForwardingResult, ForwardingServices } from './forward-issue.ts'
import type { StoredEvent } from '../outbox/queries.ts'
import { setRemoteStatus } from './issue-queries.ts'
import { postponeOrThrow } from './postpone-or-throw.ts'
import { fetchState } from './request-statuses.ts'
import { isSentText } from './sent-text.ts'
import {
  findUpdate,
  leaseUpdate,
  listKnownIds,
  recordSentUpdate,
  releaseUpdate,
  type Update,
  UPDATE_ATTEMPT_MAX_MS,
} from './update-queries.ts'

/** The resource of FixMyStreet's extension of GeoReport v2. */
export const UPDATES = 'servicerequestupdates'

/** Returns the id of an update, or a hash of a long one, since ids are indexed. */
export function updateIdOf(record: ParsedRecord): string | undefined {
  const id = textOf(record, 'update_id')
  return id === undefined || id.length <= ID_MAX ? id : createHash('sha256').update(id).digest('hex')
}

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
  if (endpoint.paused_until !== null) return { postponedUntil: endpoint.paused_until }
  const { issue_id, service_request_id } = update
  if (service_request_id === null || update.endpoint_url !== endpoint.url) return undefined
  const lease = await leaseUpdate(db, update)
  if (lease === undefined) return 'still pending'
  if (lease === 'done') return undefined
  const client = createGeoReportClient(endpoints, endpoint, AbortSignal.any([signal, AbortSignal.timeout(UPDATE_ATTEMPT_MAX_MS)]))
  const logged = { issue_id, comment_id, organization_id: endpoint.organization_id, attempts: lease.attempts }
  const progress = { isPosted: false }
  try {
    const request = { ...update, service_request_id }
    const found =
      lease.unknown_since === null
        ? undefined
        : await findSentUpdate(client, request, lease.unknown_since, await listKnownIds(db, issue_id))
    if (found === undefined) progress.isPosted = true
    // If an update that was found did not set its status, the list of updates shows it.
    const sent = found ? { ...found, status: statusOf(update, endpoint) } : await postUpdate(client, request, endpoint, urls)
    log.info({ ...logged, update_id: sent.id, is_found: found !== undefined }, 'update forwarded')
    return async (tx) => {
      await recordSentUpdate(tx, comment_id, sent.id)
      if (update.sets_status && sent.status !== null) await setRemoteStatus(tx, issue_id, sent.status)
    }
  } catch (error) {
    const mayBeDone = progress.isPosted && !isUndone(error)
    await releaseUpdate(db, comment_id, lease.unknown_since ?? (mayBeDone ? new Date().toISOString() : null))
    log.warn({ ...logged, err: error }, 'update not forwarded')
    return postponeOrThrow(db, endpoint, error, REFUSED)
  }
}

/** The same update would be refused again, or the endpoint takes none. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 413, 415, 422, 501])

type ForwardedUpdate = Omit<Update, 'service_request_id'> & { readonly service_request_id: string }

interface SentUpdate {
  /** The id of the endpoint; null if it gives none. */
  readonly id: string | null
  /** The change of the status that the endpoint accepted. */
  readonly status: string | null
}

const statusOf = ({ status }: Update, { extended_statuses }: Endpoint) => toState(status, extended_statuses)

/** The id of the comment makes a repeated update recognizable. */
async function postUpdate(client: GeoReportClient, update: ForwardedUpdate, endpoint: Endpoint, urls: Urls): Promise<SentUpdate> {
  const form = new URLSearchParams({
    service_request_id: update.service_request_id,
    update_id: String(update.comment_id),
    status: statusOf(update, endpoint),
    updated_datetime: toGeoReportTime(new Date(update.created_at)),
    description: cutDescription(update.comment),
  })
  if (update.image !== null) form.set('media_url', urls.at(`/files/${update.image}`))
  const linked = withLinkInText(form)
  let status: string | null = null
  const post = (variant: URLSearchParams) => {
    status = variant.get('status')
    return client.post(UPDATES, variant)
  }
  // An issue that has changed at the endpoint meanwhile may not take the status. The comment is sent nevertheless.
  const variants = update.sets_status ? [form, linked, withoutStatus(linked)] : [form, linked].map(withoutStatus)
  const [record] = await postAccepted(variants, post).catch(async (error: unknown) => {
    if (!isInvalid(error)) throw error
    const present = await findPresentStatus(client, update, endpoint)
    if (present === undefined) throw error
    const withPresent = [form, linked].map((variant) => withStatus(variant, present))
    const records = await postAccepted(withPresent, post)
    status = null
    return records
  })
  if (!record) throw new EndpointError('the response has no update', true)
  return { id: updateIdOf(record) ?? null, status }
}

/**
 * Returns the status of a comment for an endpoint that requires one (FixMyStreet): the present one there, because another one would revert what the
 * endpoint has set meanwhile. Returns undefined if a status that was refused is the only one known.
 */
async function findPresentStatus(
  client: GeoReportClient,
  update: ForwardedUpdate,
  endpoint: Endpoint,
): Promise<string | undefined> {
  const state = await fetchState(client, update.service_request_id)
  if (state === undefined && update.sets_status) return undefined
  // GeoReport v2 has no acknowledged service requests: they are open.
  const isAcknowledged = state === 'Open' && update.status === 'Acknowledged'
  return toState(isAcknowledged ? update.status : (state ?? update.status), endpoint.extended_statuses)
}

/** Returns the endpoint's id of an update that an earlier attempt has created. Other updates may have the same text. */
async function findSentUpdate(
  client: GeoReportClient,
  update: ForwardedUpdate,
  since: string,
  knownIds: ReadonlySet<string>,
): Promise<Pick<SentUpdate, 'id'> | undefined> {
  const records = await unlessUnsupported(
    listAllPages(
      client,
      UPDATES,
      'update_id',
      periodSince(new Date(Math.min(Date.parse(since), Date.parse(update.created_at))), new Date()),
    ),
  )
  const found = records.find(
    (record) =>
      textOf(record, 'service_request_id') === update.service_request_id &&
      !knownIds.has(updateIdOf(record) ?? '') &&
      isSentText(textOf(record, 'description') ?? '', update.comment),
  )
  return found && { id: updateIdOf(found) ?? null }
}
