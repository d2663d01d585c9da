import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { isDeliveryHandlerName } from '../queue/job-definitions.ts'
import { listDeadLetters, retryDeadLetter } from '../outbox/dead-letters.ts'
import { OPERATIONS } from '../http/openapi/describe-operations.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { toPage } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { unsentMailsWarning } from '../environment/exposure.ts'
import type { Services } from '../services.ts'
import { createLinks } from '../html/links.ts'
import { sendPrivatePage } from '../html/page.ts'
import { guardOps } from './access.ts'
import { boardRoutes } from './board.ts'
import { assessHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { opsPage, tracePage } from './pages.ts'
import { DeadLetters, DeadLettersQuery, Health, Retried, RetryParams, Trace, TraceParams } from './schema.ts'
import { createSnapshotReader } from './snapshot.ts'
import { parseTraceKey, buildTrace } from './trace.ts'

const tags = [OPERATIONS]

export interface OpsServices extends Services {
  readonly metrics: Metrics
}

export const opsRoutes: FastifyPluginAsyncTypebox<OpsServices> = async (app, services) => {
  const { config, db, urls, metrics, enqueueDeliveries } = services
  const readSnapshot = createSnapshotReader(services)
  const warnings = [unsentMailsWarning(config)].filter((warning) => warning !== undefined)
  const health = async () => assessHealth(await readSnapshot(), warnings)
  const links = createLinks(urls)
  guardOps(app, services)

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        summary: 'Read the metrics',
        description:
          'Metrics in the text format of Prometheus. Metrics of a source that is down are left out, and its `up` gauge is 0.',
        tags,
        response: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } }, ...failsWith() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text(await readSnapshot(), db.load())),
  )

  app.get('/ops', async (request, reply) =>
    sendPrivatePage(request, reply, urls, opsPage(await health(), links, pageLanguage(request))),
  )
  app.get('/ops/trace', { schema: { querystring: TraceParams } }, async (request, reply) =>
    reply.redirect(links.to(`/ops/trace/${encodeURIComponent(request.query.id.trim())}`), 303),
  )

  app.get(
    '/ops/health',
    {
      schema: {
        operationId: 'getOpsHealth',
        summary: 'Read the health of the service',
        description:
          'Answers 200 if all checks pass, otherwise 503 with the alarms. `/health/ready` says whether requests are answered.',
        tags,
        response: { 200: Health, ...failsWith(), 503: Health },
      },
    },
    async (_request, reply) => {
      const current = await health()
      return reply.code(current.status === 'ok' ? 200 : 503).send(current)
    },
  )

  app.get(
    '/ops/dead-letters',
    {
      schema: {
        operationId: 'listDeadLetters',
        summary: 'List the dead letters',
        description:
          'Outbox deliveries that failed 34 times in about a day, the latest first. They stay stored and can be retried.',
        tags,
        querystring: DeadLettersQuery,
        response: { 200: DeadLetters, ...failsWith(422) },
      },
    },
    async (request) => {
      const page = toPage(request.query)
      const { dead, entries } = await listDeadLetters(db, page)
      return {
        dead_letters: dead.map((letter) => ({
          ...letter,
          happened_at: toTimestamp(letter.happened_at),
          dead_at: toTimestamp(letter.dead_at),
        })),
        metadata: {
          pagination: { entries, page: page.page, per_page: page.perPage, pages: Math.ceil(entries / page.perPage) },
        },
      }
    },
  )

  app.post(
    '/ops/dead-letters/:event_id/:handler/retry',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'retryDeadLetter',
        summary: 'Retry a dead letter',
        description:
          'Queues the delivery again. After 34 more starts without success it is a dead letter again. 404 if it is not a dead letter, so that nothing is queued twice.',
        tags,
        params: RetryParams,
        response: { 200: Retried, ...failsWith(400, 404, 413, 415) },
      },
    },
    async (request) => {
      const { event_id, handler } = request.params
      const retried = isDeliveryHandlerName(handler) ? await retryDeadLetter(db, event_id, handler) : undefined
      if (!retried) throw problems.notFound('the_dead_letter')
      enqueueDeliveries([retried])
      return { event_id, handler, requeues: retried.requeues }
    },
  )

  app.get(
    '/ops/trace/:id',
    {
      schema: {
        operationId: 'getTrace',
        summary: 'Trace an event, a mail or a request',
        description:
          'The chain from the request to the mails: events, their deliveries and mails. Callers who are not Admins see no names in events of anonymous reports. A page for `Accept: text/html`.',
        tags,
        params: TraceParams,
        response: {
          200: {
            description: 'The chain.',
            content: {
              'application/json': { schema: Trace },
              'text/html': { schema: Type.String({ examples: ['<!doctype html>'] }) },
            },
          },
          ...failsWith(404),
        },
      },
    },
    async (request, reply) => {
      const traceKey = parseTraceKey(request.params.id)
      const trace = traceKey && (await buildTrace(services, traceKey, request.viewer?.isAdmin === true))
      if (!trace) throw problems.notFound('the_trace')
      void reply.header('vary', 'Accept')
      if (request.accepts().type(['json', 'html']) === 'html')
        return sendPrivatePage(request, reply, urls, tracePage(trace, links, pageLanguage(request)))
      return reply.type('application/json; charset=utf-8').send(trace)
    },
  )

  await app.register(boardRoutes, services)
}
