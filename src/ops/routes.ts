import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { isHandlerName } from '../queue/contracts.ts'
import { listDeadLetters, retryDeadLetter } from '../outbox/dead-letters.ts'
import { OPERATIONS } from '../http/openapi/describe-operations.ts'
import { toPage } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { unsentMailsWarning } from '../environment/exposure.ts'
import type { Services } from '../services.ts'
import { createLinks } from '../html/links.ts'
import { sendPrivatePage } from '../html/page.ts'
import { guardOps } from './access.ts'
import { board } from './board.ts'
import { healthOf } from './health.ts'
import type { Metrics } from './metrics.ts'
import { opsPage, tracePage } from './pages.ts'
import { DeadEffects, DeadQuery, Health, Retried, RetryParams, Trace, TraceParams } from './schema.ts'
import { snapshotsOf } from './snapshot.ts'
import { traceKeyOf, traceOf } from './trace.ts'

const tags = [OPERATIONS]

export interface OpsServices extends Services {
  readonly metrics: Metrics
}

/** For those who keep the service running: an Admin, or whoever has OPS_TOKEN. */
export const opsRoutes: FastifyPluginAsyncTypebox<OpsServices> = async (app, services) => {
  const { config, db, urls, metrics, dispatchDeliveries: dispatchDeliveries } = services
  const look = snapshotsOf(services)
  const warnings = [unsentMailsWarning(config)].filter((warning) => warning !== undefined)
  const health = async () => healthOf(await look(), warnings)
  const links = createLinks(urls)
  guardOps(app, services)

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        summary: 'Read the metrics',
        description: 'In the text format of Prometheus. What cannot be asked is left out, and its `up` gauge is 0.',
        tags,
        response: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } }, ...failsWith() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text(await look(), db.load())),
  )

  app.get('/ops', async (request, reply) => sendPrivatePage(request, reply, urls, opsPage(await health(), links)))
  app.get('/ops/trace', { schema: { querystring: TraceParams } }, async (request, reply) =>
    reply.redirect(links.to(`/ops/trace/${encodeURIComponent(request.query.id.trim())}`), 303),
  )

  app.get(
    '/ops/health',
    {
      schema: {
        operationId: 'getOpsHealth',
        summary: 'Read how the service does',
        description:
          'Answers 200 when all is well, 503 with the alarms when somebody should look. It says nothing of whether requests are answered: that is `/health/ready`.',
        tags,
        response: { 200: Health, ...failsWith(), 503: Health },
      },
    },
    async (_request, reply) => {
      const answer = await health()
      return reply.code(answer.status === 'ok' ? 200 : 503).send(answer)
    },
  )

  app.get(
    '/ops/dead',
    {
      schema: {
        operationId: 'listDeadLetters',
        summary: 'List the effects that are tried no more',
        description: 'What follows from an event and failed for about a day (34 times), the latest first. Nothing of it is lost.',
        tags,
        querystring: DeadQuery,
        response: { 200: DeadEffects, ...failsWith(422) },
      },
    },
    async (request) => {
      const page = toPage(request.query)
      const { dead, entries } = await listDeadLetters(db, page)
      return {
        dead: dead.map((one) => ({ ...one, happened_at: toTimestamp(one.happened_at), dead_at: toTimestamp(one.dead_at) })),
        metadata: {
          pagination: { entries, page: page.page, per_page: page.perPage, pages: Math.ceil(entries / page.perPage) },
        },
      }
    },
  )

  app.post(
    '/ops/dead/:event_id/:handler/retry',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'retryDeadEffect',
        summary: 'Queue a dead effect anew',
        description: 'With as many attempts as a new one. 404 where it is not dead, so that nothing is queued twice.',
        tags,
        params: RetryParams,
        response: { 200: Retried, ...failsWith(400, 404, 413, 415) },
      },
    },
    async (request) => {
      const { event_id, handler } = request.params
      const pending = isHandlerName(handler) ? await retryDeadLetter(db, event_id, handler) : undefined
      if (!pending) throw problems.notFound('the_dead_letter')
      dispatchDeliveries([pending])
      return pending
    },
  )

  app.get(
    '/ops/trace/:id',
    {
      schema: {
        operationId: 'getTrace',
        summary: 'Trace an event, a mail or a request',
        description:
          'The chain from the request to the mails: what happened, what followed from it and how often that was tried. Whoever is no Admin is told of nobody who has to do with an anonymous report. As a page for `Accept: text/html`.',
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
      const key = traceKeyOf(request.params.id)
      const trace = key && (await traceOf(services, key, request.viewer?.isAdmin === true))
      if (!trace) throw problems.notFound('what_is_traced')
      void reply.header('vary', 'Accept')
      if (request.accepts().type(['json', 'html']) === 'html') return sendPrivatePage(request, reply, urls, tracePage(trace, links))
      return reply.type('application/json; charset=utf-8').send(trace)
    },
  )

  await app.register(board, services)
}
