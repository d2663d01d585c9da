import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp, type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import { EndpointError, unlessUnsupported } from '../georeport/endpoint-client.ts'
import { cutDescription, type GeoReportClient, listAllPages, periodSince, toGeoReportTime } from '../georeport/geo-report.ts'
import { ID_MAX, type ParsedRecord, textOf, toState } from '../georeport/parse-response.ts'
import type { Urls } from '../http/request/urls.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import type { StoredEvent } from '../outbox/queries.ts'
import { type Endpoint, findEndpointOfIssue } from './endpoint-queries.ts'
import { isInvalid, postAccepted, withLinkInText, withoutStatus, withStatus, isSentText } from './form-variants.ts'
import { forgetRemoteStatus, setRemoteStatus } from './issue-queries.ts'
import { fetchState } from './request-statuses.ts'
import { type ForwardingResult, type ForwardingServices, type Sendable, sendOnce } from './send-once.ts'

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
type Update = Static<typeof UpdateRow>

/** Returns a public comment, with the status that its event set; undefined if it is not public or was deleted. */
async function findUpdate(db: Queryable, commentId: number, eventId: number): Promise<Update | undefined> {
  const deliveries = (condition: ReturnType<typeof sql>) => sql`
    SELECT FROM outbox_deliveries delivery JOIN events event ON event.id = delivery.event_id
    WHERE ${condition} AND (event.subject_type, event.subject_id) IN (
      SELECT 'issue', i.id UNION ALL SELECT 'comment', other.id FROM comments other WHERE other.issue_id = i.id)`
  return db.query(sql.first(UpdateRow)`
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
}

/** Returns the ids at the endpoint of the updates that were sent or received. */
async function listKnownIds(db: Database, issue_id: number): Promise<Set<string>> {
  const known = await db.prisma.forwardedUpdate.findMany({ where: { issue_id }, select: { remote_update_id: true } })
  return new Set(known.flatMap(({ remote_update_id }) => remote_update_id ?? []))
}

/** The lease of an update. */
export const LEASE_S = 60

async function recordSentUpdate(tx: Transaction, commentId: number, remoteUpdateId: string | null): Promise<void> {
  await tx.execute(sql`
    UPDATE forwarded_updates stored SET sent_at = now(), leased_until = NULL, unknown_since = NULL,
      remote_update_id = CASE WHEN EXISTS (
        SELECT FROM forwarded_updates other
        WHERE other.issue_id = stored.issue_id AND other.remote_update_id = ${remoteUpdateId}::text) THEN stored.remote_update_id
        ELSE coalesce(${remoteUpdateId}::text, stored.remote_update_id) END
    WHERE stored.comment_id = ${commentId}`)
}

/** The resource of FixMyStreet's extension of GeoReport v2. */
export const UPDATES = 'servicerequestupdates'

/** Returns the id of an update, or a hash of a long one, since ids are indexed. */
export function updateIdOf(record: ParsedRecord): string | undefined {
  const id = textOf(record, 'update_id')
  return id === undefined || id.length <= ID_MAX ? id : createHash('sha256').update(id).digest('hex')
}

/**
 * Sends a public comment, with the status that it set, to the endpoint that has the issue, once and in order. Updates that the endpoint has
 * sent are never returned to it.
 * @throws as `sendOnce`
 */
export async function forwardUpdate(
  services: ForwardingServices,
  { id: event_id, payload: { comment_id } }: Pick<StoredEvent, 'id' | 'payload'>,
  signal: AbortSignal,
): Promise<ForwardingResult> {
  if (typeof comment_id !== 'number') return undefined
  const { db } = services
  const update = await findUpdate(db, comment_id, event_id)
  const endpoint = update && (await findEndpointOfIssue(db, update.issue_id))
  if (!update || !endpoint?.sends_updates || update.is_received) return undefined
  if (update.must_wait) return 'still pending'
  const { issue_id, service_request_id, sets_status } = update
  if (service_request_id === null || update.endpoint_url !== endpoint.url) return undefined
  const sendable: Sendable = {
    name: 'update',
    table: sql`forwarded_updates`,
    row: sql`sent.comment_id = ${comment_id}`,
    isDone: sql`sent.is_received OR sent.sent_at IS NOT NULL OR sent.remote_update_id IS NOT NULL`,
    lease_s: LEASE_S,
    refused: REFUSED,
    logged: { issue_id, comment_id },
    addRow: (tx) =>
      tx.prisma.forwardedUpdate.createMany({ data: { issue_id, comment_id, is_received: false }, skipDuplicates: true }),
    // The endpoint may have the status from now on.
    ...(sets_status ? { onLeased: (tx: Transaction) => forgetRemoteStatus(tx, issue_id) } : {}),
  }
  return sendOnce(services, endpoint, sendable, signal, async (attempt) => {
    const { client, unknown_since } = attempt
    const request = { ...update, service_request_id }
    const found =
      unknown_since === null ? undefined : await findSentUpdate(client, request, unknown_since, await listKnownIds(db, issue_id))
    attempt.isPosted = found === undefined
    // If an update that was found did not set its status, the list of updates shows it.
    const sent = found
      ? { ...found, status: statusOf(update, endpoint) }
      : await postUpdate(client, request, endpoint, services.urls)
    return {
      logged: { update_id: sent.id, is_found: found !== undefined },
      record: async (tx) => {
        await recordSentUpdate(tx, comment_id, sent.id)
        if (sets_status && sent.status !== null) await setRemoteStatus(tx, issue_id, sent.status)
      },
    }
  })
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
