import type { Static } from 'typebox'

import type { Database, Queryable } from '../database/database.ts'
import { Problem } from '../errors/problems.ts'
import { type AreaLookup, dropOverriddenParameters } from '../geo/area-query.ts'
import { type EndpointClient, EndpointError } from '../georeport/endpoint-client.ts'
import { findPause } from '../georeport/geo-report.ts'
import type { Urls } from '../http/request/urls.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { readStoredQuery } from '../http/validation/stored-query.ts'
import { encodePosition, findChangesPosition, parsePosition } from '../issue-lifecycle/changes-cursor.ts'
import { listChanged, readChanges } from '../issues/changes/queries.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { listStatuses } from '../issues/list/query.ts'
import { parseListQuery } from '../issues/list/read-list.ts'
import { toIssue } from '../issues/present.ts'
import type { IssueRow } from '../issues/queries.ts'
import { type Language, languageOf } from '../locales/texts.ts'
import { recordEvents } from '../outbox/queries.ts'
import { type DeliveryRow, type LeasedWebhook, leaseDueWebhook, messageId, secretsOf, type WebhookRow } from './queries.ts'
import { type TestResult, WebhookQuery } from './schema.ts'
import { signMessage } from './sign.ts'

/** Webhooks that one process serves at a time, so that a slow receiver delays no other one. */
const AT_ONCE = 8
/** A turn ends before its lease, even if the last request takes as long as it may. */
const LEASE_S = 120
const TURN_MS = 60_000
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

interface Log {
  warn(values: object, message: string): void
}

/** Sends the messages of all webhooks that are due, those of one in the order of the changes. Several processes share the work. */
export async function deliverWebhooks(services: DeliveryServices & { readonly log: Log }, signal: AbortSignal): Promise<void> {
  const serve = async () => {
    while (!signal.aborted) {
      const leased = await leaseDueWebhook(services.db, LEASE_S)
      if (!leased) return
      await takeTurn(services, leased, signal)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, serve))
}

async function takeTurn(
  services: DeliveryServices & { readonly log: Log },
  { id, language }: LeasedWebhook,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = services
  const until = performance.now() + TURN_MS
  const webhook = await db.prisma.webhook.findUnique({ where: { id } })
  if (!webhook) return
  try {
    const filter = await toFilter(services, webhook.query)
    const waiting = await listWaiting(services, webhook, filter)
    const ids = waiting.flatMap(({ kind, issue_id }) => (kind === 'gone' || issue_id === null ? [] : [issue_id]))
    const issues = new Map((await listChanged(db, filter, null, ids)).map((issue) => [issue.id, issue]))
    let current = webhook
    for (const delivery of waiting) {
      if (performance.now() > until) break
      const issue = issues.get(delivery.issue_id ?? 0)
      const body = toBody(services.urls, delivery, issue, languageOf(language ?? ''))
      const result = await send(services, webhook, messageId(delivery), body, signal)
      if (signal.aborted && !result.delivered) break
      await recordResult(services, current, delivery, result)
      if (!result.delivered) return
      current = { ...current, failures: 0, failing_since: null }
    }
    await db.prisma.webhook.update({ where: { id }, data: { due_at: clock() } })
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) {
      log.warn({ webhook_id: id, err: error }, 'the messages of a webhook could not be prepared')
      return
    }
    await stop(services, webhook, `the query is no longer valid: ${error.message}`)
  }
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
  const request = { filter, viewer: null, since: parsePosition(position), limit: CHANGES_AT_ONCE }
  const { changes, next } = await readChanges(db, request).catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.status !== GONE) throw error
    const next = await findChangesPosition(db, filter.area)
    return { changes: [{ id: null, kind: 'reset', at: clock().toISOString() }], next }
  })
  const cursor = encodePosition(next)
  const wanted = changes.filter(({ kind }) => kind === 'reset' || webhook.kinds.includes(kind))
  await db.transaction(async (tx) => {
    // A replay may have changed the position meanwhile.
    const { count } = await tx.prisma.webhook.updateMany({
      where: { id, position },
      data: { position: cursor, position_xid: next.xid },
    })
    if (count === 0) return
    await tx.prisma.webhookDelivery.createMany({
      data: wanted.map(({ id: issue_id, kind, at }, index) => ({
        ...{ webhook_id: id, issue_id, kind, changed_at: new Date(at) },
        // A client that goes on from the cursor before the page gets some changes again, but misses none.
        next_since: index === wanted.length - 1 ? cursor : position,
      })),
    })
  })
  return find()
}

/** An issue that has left the list since its change was stored is gone. */
function toBody(urls: Urls, delivery: DeliveryRow, row: IssueRow | undefined, language: Language): string {
  const { issue_id, changed_at, next_since } = delivery
  const kind = delivery.kind === 'reset' || row ? delivery.kind : 'gone'
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

async function recordResult(
  services: DeliveryServices,
  webhook: WebhookRow,
  { id, attempts }: DeliveryRow,
  result: Result,
): Promise<void> {
  const { db, clock } = services
  const { delivered, response_status, error, pause_s = 0 } = result
  const now = clock()
  const data = { attempts: attempts + 1, response_status, error, sent_at: delivered ? now : null }
  await db.prisma.webhookDelivery.updateMany({ where: { id }, data })
  const where = { id: webhook.id }
  if (delivered) {
    if (webhook.failures > 0) await db.prisma.webhook.update({ where, data: { failures: 0, failing_since: null, error: null } })
    return
  }
  const failing_since = webhook.failing_since ?? now
  if (response_status === GONE || now.getTime() - failing_since.getTime() > FAILING_MAX_MS)
    return stop(services, webhook, error ?? '')
  const pause = Math.min(Math.max(PAUSE_S * 3 ** webhook.failures, pause_s), PAUSE_MAX_S)
  const due_at = new Date(now.getTime() + pause * 1_000)
  await db.prisma.webhook.update({ where, data: { failures: webhook.failures + 1, failing_since, error, due_at } })
}

/** Stops a webhook and mails its owner, or the owners of its organisation. */
async function stop({ db }: DeliveryServices, { id, user_id, organization_id }: WebhookRow, error: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { count } = await tx.prisma.webhook.updateMany({ where: { id, is_active: true }, data: { is_active: false, error } })
    if (count === 0) return
    const owners = await tx.prisma.organizationMember.findMany({ where: { organization_id: organization_id ?? 0, role: 'owner' } })
    const ids = user_id === null ? owners.map((owner) => owner.user_id) : [user_id]
    await recordEvents(tx, { type: 'user.webhook_stopped', actor_id: null }, ids)
  })
}
