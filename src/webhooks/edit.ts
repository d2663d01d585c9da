import type { FastifyInstance } from 'fastify'

import { problems } from '../errors/problems.ts'
import { unusedAreaParameters } from '../geo/area-query.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { createQueryCheck } from '../http/validation/stored-query.ts'
import { encodeChangesCursor, findChangesPosition, parseChangesCursor } from '../issue-lifecycle/changes-cursor.ts'
import { readChanges } from '../issues/changes/queries.ts'
import { text } from '../locales/texts.ts'
import { requireOrganizationCapability } from '../organizations/queries.ts'
import { type DeliveryServices, send, toFilter } from './deliver.ts'
import { addWebhook, type WebhookRow } from './queries.ts'
import { type NewWebhook, URL_MAX, type WebhookChange, WebhookQuery } from './schema.ts'

/** Returns the changes of webhooks that the API and the pages share. */
export function createWebhookEditor(app: FastifyInstance, services: DeliveryServices) {
  const { db, clock } = services
  const checkParameters = createQueryCheck(app, WebhookQuery, 'webhook_parameter')
  const checkQuery = async (query: string) => {
    const parameters = checkParameters(query)
    await toFilter(services, query)
    const unused = unusedAreaParameters(parameters).map((name) => [name, text('webhook_area_unused')] as const)
    if (unused.length > 0) throw problems.invalid(Object.fromEntries(unused))
  }
  const findStart = async (query: string) => {
    const position = await findChangesPosition(db, (await toFilter(services, query)).area)
    return { position: encodeChangesCursor(position), position_xid: position.xid }
  }

  return {
    /** @throws Problem 403 or 404 for the organisation, 422 that names the field or the parameter of the query */
    async create(viewer: Viewer, input: NewWebhook): Promise<WebhookRow> {
      const { organization_id, query = '' } = input
      if (organization_id !== undefined) await requireOrganizationCapability(db, organization_id, viewer, 'manage_organization')
      checkUrl(input.url)
      await checkQuery(query)
      return db.transaction((tx) => addWebhook(tx, viewer, input))
    },

    /** Changes the fields that are present. A new address is tested first; a new query begins with the changes from now on. */
    async change(webhook: WebhookRow, change: WebhookChange): Promise<WebhookRow> {
      const { id, position } = webhook
      checkUrl(change.url)
      if (change.query !== undefined) await checkQuery(change.query)
      const isMoved = change.url !== undefined && change.url !== webhook.url
      const isOtherList = change.query !== undefined && change.query !== webhook.query
      const start = isOtherList ? await findStart(change.query ?? '') : {}
      const stopped = isMoved ? { is_active: false, error: position === null ? null : 'the address was changed' } : {}
      return db.transaction(async ({ prisma }) => {
        const data = { ...change, ...(position === null ? {} : start), ...stopped, updated_at: clock() }
        const changed = await prisma.webhook.update({ where: { id }, data })
        if (isOtherList) await prisma.webhookDelivery.deleteMany({ where: { webhook_id: id, sent_at: null } })
        return changed
      })
    },

    /** Sends a test message. Success starts a webhook that is not active. */
    async test(webhook: WebhookRow) {
      const now = clock()
      const { id, position, query, url } = webhook
      const start = position === null ? await findStart(query) : undefined
      const body = JSON.stringify({
        type: 'test',
        timestamp: toTimestamp(now.toISOString()),
        data: {},
        next_since: start?.position ?? position,
      })
      const result = await send(services, webhook, `msg_${id}_test_${now.getTime()}`, body, new AbortController().signal)
      const started = { is_active: true, failures: 0, failing_since: null, error: null, due_at: now, ...start }
      // Another address or list that was set during the test was not tested.
      const where = { id, url, query }
      await db.prisma.webhook.updateMany({ where, data: result.delivered ? started : { error: result.error } })
      return result
    },

    /** Sends the changes after a cursor again. @throws Problem 422 for a text that is no cursor, 410 for one that is too old or of another list */
    async replay({ id, query }: WebhookRow, since: string): Promise<void> {
      const position = parseChangesCursor(since)
      await readChanges(db, { filter: await toFilter(services, query), viewer: null, since: position, limit: 1 })
      await db.transaction(async ({ prisma }) => {
        await prisma.webhook.update({ where: { id }, data: { position: since, position_xid: position.xid, due_at: clock() } })
        await prisma.webhookDelivery.deleteMany({ where: { webhook_id: id, sent_at: null } })
      })
    },
  }
}

function checkUrl(address: string | undefined): void {
  if (address === undefined) return
  const url = URL.parse(address)
  if (!url) throw problems.invalid({ url: text('must_be', { allowed: text('webhook_url', { max: URL_MAX }) }) })
  // Other owners of the organisation and the log of a proxy would see them. The signature proves who sends.
  if (url.username !== '' || url.password !== '') throw problems.invalid({ url: text('webhook_url_credentials') })
}
