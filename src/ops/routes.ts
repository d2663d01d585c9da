import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { hasStreets, NO_STREETS } from '../basemap/has-streets.ts'
import { OPERATIONS } from '../http/openapi/describe-operations.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { orNotFound } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import { unsentMailsWarning } from '../environment/exposure.ts'
import type { Services } from '../services.ts'
import { createLinks } from '../html/links.ts'
import { sendPrivatePage } from '../html/page.ts'
import { guardOps } from './access.ts'
import { boardRoutes } from './board.ts'
import { deadLetterRoutes } from './dead-letter-routes.ts'
import { assessHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { opsPage, tracePage } from './pages.ts'
import { queueRoutes } from './queue-routes.ts'
import { Health, pageOr, Trace, TraceParams } from './schema.ts'
import { readOverviews } from './queue-overview.ts'
import { createSnapshotReader } from './snapshot.ts'
import { parseTraceKey, buildTrace } from './trace.ts'

const tags = [OPERATIONS]

interface OpsServices extends Services {
  readonly metrics: Metrics
}

export const opsRoutes: FastifyPluginAsyncTypebox<OpsServices> = async (app, services) => {
  const { config, db, urls, metrics } = services
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

  app.get('/ops', async (request, reply) => {
    const current = await health()
    // Without the database nothing is known about the demo.
    const isKnown = current.checks.database.status === 'ok'
    const missing = isKnown && !(await hasStreets(services)) ? [NO_STREETS] : []
    const overviews = await readOverviews(services.queue?.isUp() ? services.queue : undefined)
    const page = opsPage({ ...current, warnings: [...current.warnings, ...missing] }, overviews, links, pageLanguage(request))
    return sendPrivatePage(request, reply, urls, page)
  })
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
    '/ops/trace/:id',
    {
      schema: {
        operationId: 'getTrace',
        summary: 'Trace an event, a mail, a request, an issue, a user or an address',
        description:
          'The chain from the request to the mails: events, their deliveries and mails. `issue:4711`, `user:4711` and an e-mail address find their last 50 events. Callers who are not Admins see no names in events of anonymous reports, and do not find these by a user or an address. A page for `Accept: text/html`.',
        tags,
        params: TraceParams,
        response: {
          200: pageOr('The chain.', Trace),
          ...failsWith(404),
        },
      },
    },
    async (request, reply) => {
      const traceKey = parseTraceKey(request.params.id)
      const trace = orNotFound(traceKey && (await buildTrace(services, traceKey, request.viewer?.isAdmin === true)), 'the_trace')
      void reply.header('vary', 'Accept')
      if (request.accepts().type(['json', 'html']) === 'html')
        return sendPrivatePage(request, reply, urls, tracePage(trace, links, pageLanguage(request)))
      return reply.type('application/json; charset=utf-8').send(trace)
    },
  )

  await app.register(deadLetterRoutes, services)
  await app.register(queueRoutes, services)
  await app.register(boardRoutes, services)
}
