import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from 'typebox'

import type { Database, Queryable } from '../database/database.ts'
import { Problem } from '../errors/problems.ts'
import { type AreaLookup, dropOverriddenParameters } from '../geo/area-query.ts'
import { type EndpointClient, EndpointError } from '../georeport/endpoint-client.ts'
import { findPause } from '../georeport/geo-report.ts'
import type { Urls } from '../http/request/urls.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { readStoredQuery } from '../http/validation/stored-query.ts'
import { encodeChangesCursor, findChangesPosition, parseChangesCursor } from '../issue-lifecycle/changes-cursor.ts'
import { listChanged, readChanges } from '../issues/changes/queries.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { listStatuses } from '../issues/list/query.ts'
import { parseListQuery } from '../issues/list/read-list.ts'
import { toIssue } from '../issues/present.ts'
import type { IssueRow } from '../issues/queries.ts'
import { type Language, languageOf } from '../locales/texts.ts'
import { recordEvents } from '../outbox/queries.ts'
import type { JobLog } from '../queue/log.ts'
import { type DeliveryRow, leaseDueWebhook, messageId, secretsOf, type WebhookRow } from './queries.ts'
import { type TestResult, WebhookQuery } from './schema.ts'
import { signMessage } from './sign.ts'

/** Webhooks that one process serves at a time. */
const AT_ONCE = 16
/** A turn ends before its lease, even if the last request takes as long as it may. */
const LEASE_MS = 60_000
const TURN_MS = 20_000
/** While some receivers are slow, other webhooks become due. */
const POLL_MS = 1_000
const CHANGES_AT_ONCE = 100
const MESSAGE_BYTES_MAX = 20_000
/** The pause after the first failure; it triples with each further one. */
const PAUSE_S = 5
const PAUSE_MAX_S = 4 * 3_600
const FAILING_MAX_MS = 2 * 24 * 3_600_000
/** The receiver wants no more messages (Standard Webhooks). */
const GONE = 410

export interface DeliveryServices {
  readonly db: Database
  readonly areas: AreaLookup
  readonly endpoints: EndpointClient
  readonly urls: Urls
  readonly clock: () => Date
}

/** Sends the messages of all webhooks that are due, those of one in the order of the changes. Several processes share the work. */
export async function deliverWebhooks(
  services: DeliveryServices & { readonly log: Pick<JobLog, 'warn'> },
  signal: AbortSignal,
): Promise<void> {
  const { clock, db, log } = services
  const turns = new Set<Promise<void>>()
  while (!signal.aborted) {
    const leased_until = new Date(clock().getTime() + LEASE_MS)
    const leased = turns.size < AT_ONCE ? await leaseDueWebhook(db, leased_until) : undefined
    if (leased) {
      const turn = takeTurn(services, { ...leased, leased_until }, signal)
        .catch((error: unknown) => log.warn({ webhook_id: leased.id, err: error }, 'the turn of a webhook has failed'))
        .finally(() => turns.delete(turn))
      turns.add(turn)
    } else if (turns.size === 0) return
    else await Promise.race([...turns, pause(POLL_MS)])
  }
  await Promise.all(turns)
}

interface Turn {
  readonly id: number
  readonly language: string | null
  readonly leased_until: Date
}

async function takeTurn(
  services: DeliveryServices & { readonly log: Pick<JobLog, 'warn'> },
  { id, language, leased_until }: Turn,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = services
  const until = performance.now() + TURN_MS
  const webhook = await db.prisma.webhook.findUniqueOrThrow({ where: { id } })
  try {
    const filter = await toFilter(services, webhook.query)
    for (const { id: deliveryId } of await listWaiting(services, webhook, filter)) {
      if (performance.now() > until || signal.aborted) break
      // The webhook and the issue may have changed during the last request.
      const delivery = await db.prisma.webhookDelivery.findFirst({
        where: { id: deliveryId, sent_at: null, webhook: { leased_until, is_active: true, query: webhook.query } },
        include: { webhook: true },
      })
      if (!delivery) break
      if (!(await deliver(services, delivery, { filter, language: languageOf(language ?? '') }, signal))) return
    }
    await db.prisma.webhook.updateMany({ where: { id, leased_until }, data: { due_at: clock() } })
  } catch (error) {
    log.warn({ webhook_id: id, err: error }, 'the messages of a webhook could not be sent')
    const isInvalid = error instanceof Problem && error.status === 422
    const reason = isInvalid ? `the query is no longer valid: ${error.message}` : 'an internal error'
    await recordFailure(services, webhook, { error: reason, isFinal: isInvalid })
  } finally {
    await db.prisma.webhook.updateMany({ where: { id, leased_until }, data: { leased_until: null } })
  }
}

interface Recipient {
  readonly filter: IssueFilter
  readonly language: Language
}

/** Sends one message. Returns false if the receiver did not take it. */
async function deliver(
  services: DeliveryServices,
  { webhook, ...delivery }: DeliveryRow & { readonly webhook: WebhookRow },
  { filter, language }: Recipient,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock, urls } = services
  const { id, issue_id, attempts } = delivery
  const [issue] = issue_id === null || delivery.kind === 'gone' ? [] : await listChanged(db, filter, null, [issue_id])
  // An issue that has left the list since its change was stored is gone.
  const kind = delivery.kind === 'reset' || issue ? delivery.kind : 'gone'
  const isWanted = kind === 'reset' || webhook.kinds.includes(kind)
  const body = toBody(urls, { ...delivery, kind }, issue, language)
  const result = isWanted ? await send(services, webhook, messageId(delivery), body, signal) : NOTHING_SENT
  const { delivered, response_status, error } = result
  if (signal.aborted && !delivered) return false
  const data = { kind, attempts: attempts + 1, response_status, error, sent_at: delivered ? clock() : null }
  await db.prisma.webhookDelivery.updateMany({ where: { id }, data })
  if (!delivered) await recordFailure(services, webhook, { ...result, isFinal: response_status === GONE })
  else if (webhook.error !== null)
    await db.prisma.webhook.updateMany({ where: { id: webhook.id }, data: { failures: 0, failing_since: null, error: null } })
  return delivered
}

/** @throws Problem 422 if a place or another thing that it names does not exist */
export async function toFilter(
  { db, areas }: Pick<DeliveryServices, 'areas'> & { readonly db: Queryable },
  query: string,
): Promise<IssueFilter> {
  const parameters = dropOverriddenParameters({ status: listStatuses, ...readStoredQuery(WebhookQuery, query) })
  return (await parseListQuery({ reader: db, areas }, parameters, { page: 1, perPage: 1 }, null)).filter
}

/** Returns the messages that wait, or those of the next changes, which are stored before the first is sent. */
async function listWaiting({ db, clock }: DeliveryServices, webhook: WebhookRow, filter: IssueFilter): Promise<DeliveryRow[]> {
  const { id, position } = webhook
  const find = () =>
    db.prisma.webhookDelivery.findMany({ where: { webhook_id: id, sent_at: null }, orderBy: { id: 'asc' }, take: CHANGES_AT_ONCE })
  const waiting = await find()
  if (waiting.length > 0 || position === null) return waiting
  const request = { filter, viewer: null, since: parseChangesCursor(position), limit: CHANGES_AT_ONCE }
  const { changes, next } = await readChanges(db, request).catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.status !== GONE) throw error
    const next = await findChangesPosition(db, filter.area)
    return { changes: [{ id: null, kind: 'reset', at: clock().toISOString() }], next }
  })
  const cursor = encodeChangesCursor(next)
  const wanted = changes.filter(({ kind }) => kind === 'reset' || webhook.kinds.includes(kind))
  await db.transaction(async (tx) => {
    // A replay may have changed the position meanwhile.
    const { count } = await tx.prisma.webhook.updateMany({
      where: { id, position },
      data: { position: cursor, position_xid: next.xid },
    })
    if (count === 0) return
    await tx.prisma.webhookDelivery.createMany({
      data: wanted.map(({ id: issue_id, kind, at }) => ({
        ...{ webhook_id: id, issue_id, kind, changed_at: new Date(at) },
        // A client that goes on from there gets some changes again, but misses none.
        next_since: kind === 'reset' ? cursor : position,
      })),
    })
  })
  return find()
}

function toBody(urls: Urls, delivery: DeliveryRow, row: IssueRow | undefined, language: Language): string {
  const { issue_id, kind, changed_at, next_since } = delivery
  const at = toTimestamp(changed_at.toISOString())
  const write = (issue: object | null) =>
    JSON.stringify({
      ...{ type: kind === 'reset' ? 'changes.reset' : `issue.${kind}`, timestamp: at },
      data: issue_id === null ? {} : { id: issue_id, kind, at, issue, url: urls.api(`/issues/${issue_id}`) },
      next_since,
    })
  const whole = write(row ? toIssue(row, urls, language) : null)
  return Buffer.byteLength(whole) > MESSAGE_BYTES_MAX ? write(null) : whole
}

type Result = Static<typeof TestResult> & { readonly pause_s?: number | undefined }

const NOTHING_SENT: Result = { delivered: true, response_status: null, error: null }

/** Sends one message. */
export async function send(
  { endpoints, clock }: Pick<DeliveryServices, 'endpoints' | 'clock'>,
  webhook: WebhookRow,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<Result> {
  const now = clock()
  const headers = { accept: '*/*', ...signMessage(secretsOf(webhook, now), { id, body, now }) }
  try {
    const response = await endpoints.send({ method: 'POST', url: webhook.url, json: body, headers }, signal)
    const { status: response_status } = response
    const delivered = response_status >= 200 && response_status < 300
    const error = delivered ? null : `the receiver responded with ${response_status}`
    return { delivered, response_status, error, pause_s: findPause(response) }
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error
    return { delivered: false, response_status: null, error: error.message }
  }
}

interface Failure {
  readonly error: string | null
  readonly pause_s?: number | undefined
  readonly isFinal: boolean
}

/** Sets the time of the next attempt. After a final failure, or two days of failures, it stops the webhook and mails its owner, or the owners of its organisation. */
async function recordFailure({ db, clock }: DeliveryServices, webhook: WebhookRow, failure: Failure): Promise<void> {
  const { id, user_id, organization_id, failures, url } = webhook
  const { error, pause_s = 0, isFinal } = failure
  const now = clock()
  const failing_since = webhook.failing_since ?? now
  const pause_ms = 1_000 * Math.min(Math.max(PAUSE_S * 3 ** failures, pause_s), PAUSE_MAX_S)
  const next = { failures: failures + 1, failing_since, error, due_at: new Date(now.getTime() + pause_ms) }
  const isStopped = isFinal || now.getTime() - failing_since.getTime() > FAILING_MAX_MS
  await db.transaction(async (tx) => {
    const where = { id, url, is_active: true }
    const { count } = await tx.prisma.webhook.updateMany({ where, data: { ...next, ...(isStopped ? { is_active: false } : {}) } })
    if (count === 0 || !isStopped) return
    const owners = await tx.prisma.organizationMember.findMany({ where: { organization_id: organization_id ?? 0, role: 'owner' } })
    const ids = user_id === null ? owners.map((owner) => owner.user_id) : [user_id]
    await recordEvents(tx, { type: 'user.webhook_stopped', actor_id: null, payload: { webhook_id: id } }, ids)
  })
}
