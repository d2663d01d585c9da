import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { queryParameters, toMetadata, toPage } from '../http/lists/pagination.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { matchIfGiven, withEtag } from '../http/request/version-header.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { createWebhookEditor } from './edit.ts'
import { findWebhook, listWebhooks, presentDelivery, presentWebhook, renewSecret, shownSecret, type WebhookRow } from './queries.ts'
import {
  CreatedWebhook,
  ListDeliveriesQuery,
  NewWebhook,
  Replay,
  TestResult,
  Webhook,
  WebhookChange,
  WebhookDeliveryList,
  WebhookList,
  WebhookParams,
  WEBHOOKS_MAX,
} from './schema.ts'

export const webhookRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { clock, db, urls } = services
  tagRoutes(app, 'Webhooks')
  app.addHook('onRequest', requireLogin)
  const editor = createWebhookEditor(app, services)
  const find = (request: FastifyRequest) => findWebhook(db, requireViewer(request), (request.params as { readonly id: number }).id)
  const withSecret = (row: WebhookRow) => ({ ...presentWebhook(row), secret: shownSecret(row) })

  app.post(
    '/webhooks',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description: `Sends the changes of a list to an address, each as a message of [Standard Webhooks](https://www.standardwebhooks.com): \`webhook-signature\` has \`v1,\` and the HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\` as base64, with the secret after \`whsec_\` as the key in base64. It starts with the first successful \`POST /webhooks/:id/test\`. Needs an account with a confirmed address. At most ${WEBHOOKS_MAX} per account and per organisation. \`secret\` is shown only once.`,
        body: NewWebhook,
        response: { 201: CreatedWebhook, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const row = await editor.create(requireViewer(request), request.body)
      void reply
        .code(201)
        .header('location', urls.api(`/webhooks/${row.id}`))
        .header('cache-control', 'private, no-store')
      return withSecret(row)
    },
  )

  app.get(
    '/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'List your webhooks',
        description: 'Those of your account and of organisations in which you have `manage_organization`.',
        response: { 200: WebhookList, ...failsWith() },
      },
    },
    async (request) => {
      const rows = await listWebhooks(db, requireViewer(request))
      return { errors: {}, metadata: {}, webhooks: rows.map(presentWebhook) }
    },
  )

  app.get(
    '/webhooks/:id',
    {
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        description: 'Its ETag is `If-Match` of a change. The secret is not shown again.',
        params: WebhookParams,
        response: { 200: Webhook, ...failsWith(404) },
      },
    },
    async (request, reply) => withEtag(reply, presentWebhook(await find(request))),
  )

  app.put(
    '/webhooks/:id',
    {
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'Changes only the fields that are present. Another address must pass a test first. With another query, messages begin with the changes from now on. `If-Match` is optional.',
        params: WebhookParams,
        body: WebhookChange,
        response: { 200: Webhook, ...failsWith(400, 404, 412, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const row = await find(request)
      await matchIfGiven(request, async () => presentWebhook(row))
      return withEtag(reply, presentWebhook(await editor.change(row, request.body)))
    },
  )

  addDeletion(app, {
    path: '/webhooks/:id',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Messages that wait are not sent.',
    params: WebhookParams,
    done: 'The webhook is deleted.',
    fails: [404],
    act: async (viewer, { id }) => db.prisma.webhook.deleteMany({ where: { id: (await findWebhook(db, viewer, id)).id } }),
  })

  app.post(
    '/webhooks/:id/secret',
    {
      config: { idempotency: false, bodyIsOptional: true },
      schema: {
        operationId: 'renewWebhookSecret',
        summary: 'Give a webhook a new secret',
        description: 'The former one signs too for 24 hours, as a second signature.',
        params: WebhookParams,
        response: { 201: CreatedWebhook, ...failsWith(400, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const row = await renewSecret(db, await find(request), clock())
      void reply.code(201).header('cache-control', 'private, no-store')
      return withSecret(row)
    },
  )

  app.post(
    '/webhooks/:id/test',
    {
      config: { idempotency: false, bodyIsOptional: true },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test message',
        description: 'A response of 2xx starts a webhook that is new or was stopped.',
        params: WebhookParams,
        response: { 200: TestResult, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { delivered, response_status, error } = await editor.test(await find(request))
      return { delivered, response_status, error }
    },
  )

  app.post(
    '/webhooks/:id/replay',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'replayWebhook',
        summary: 'Send changes again',
        description:
          'The changes after a cursor are sent again, each once and with the id of its first message, if it has not changed since.',
        params: WebhookParams,
        body: Replay,
        response: { 200: Webhook, ...failsWith(400, 404, 410, 413, 415, 422) },
      },
    },
    async (request) => {
      await editor.replay(await find(request), request.body.since)
      return presentWebhook(await find(request))
    },
  )

  app.get(
    '/webhooks/:id/deliveries',
    {
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the messages of a webhook',
        description: 'Newest first; stored for a week.',
        params: WebhookParams,
        querystring: ListDeliveriesQuery,
        response: { 200: WebhookDeliveryList, ...failsWith(404, 422) },
      },
    },
    async (request) => {
      const { id: webhook_id } = await find(request)
      const page = toPage(request.query)
      const where = { webhook_id }
      const entries = await db.prisma.webhookDelivery.count({ where })
      const skip = Math.min((page.page - 1) * page.perPage, entries)
      const rows = await db.prisma.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, skip, take: page.perPage })
      const metadata = toMetadata(urls, `/webhooks/${webhook_id}/deliveries`, queryParameters(request), page, entries)
      return { metadata, deliveries: rows.map(presentDelivery), errors: {} }
    },
  )
}
