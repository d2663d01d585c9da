import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Downloads } from '../gis/downloads/downloads.ts'
import { identifyCaller } from '../http/auth/authentication.ts'
import { isOverloadRefusal, toProblem, unknownRouteProblem } from '../http/errors/render-problems.ts'
import { shedLoad } from '../http/request/load-shedding.ts'
import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { addApiContentPolicy } from '../http/request/browser-security.ts'
import { limitRequests } from '../http/request/request-limit.ts'
import type { Services } from '../services.ts'
import { addAreaRoutes } from './areas/routes.ts'
import { addBulkRoutes, isBulkDownload } from './bulk/routes.ts'
import { addDiscoveryRoutes } from './discovery/routes.ts'
import { addRequestRoutes } from './requests/routes.ts'
import { addServiceRoutes } from './services/routes.ts'
import { addTokenRoutes } from './tokens/routes.ts'
import { addUpdateRoutes, addUpdateWritingRoutes } from './updates/routes.ts'
import { addIdempotency } from '../http/idempotency/idempotency.ts'
import { addWriteCredentials } from './credentials/write-credentials.ts'
import { addReportRoutes } from './reports/routes.ts'
import { syncHook } from '../http/request/hooks.ts'
import { inLanguage, type Language, text, type Text } from '../locales/texts.ts'
import type { Problem } from '../errors/problems.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { type Value, contentTypes, requestedFormat, render } from './formats/send.ts'

/** A page costs as much as one of `GET /issues`, so that few clients need all slots. */
const CLIENT_LIMITS = { concurrency: 16, queueMax: 50, waitMaxMs: 5_000, rateFactor: 30, networkConcurrency: 20 }
const LIMITS = {
  requests: { concurrency: 30, queueMax: 50, waitMaxMs: 5_000 },
  queries: { poolShare: 0.4, queueMax: 1_000, waitMaxMs: 10_000 },
}

/**
 * Open311 GeoReport v2: formats and names only. Every rule and filter is that of the features. Register it with the prefix `/open311`,
 * below which errors and unknown addresses have the form of GeoReport v2.
 */
export async function open311Routes(app: FastifyInstance, services: Services & { readonly downloads: Downloads }): Promise<void> {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500 && !isOverloadRefusal(error)) request.log.error({ err: error }, 'request failed')
    return sendErrors(problem, request, reply)
  })
  app.setNotFoundHandler((request, reply) => sendErrors(unknownRouteProblem(app, request), request, reply))
  shedLoad(app)
  addClientLimits(app, services.config, { ...CLIENT_LIMITS, isExempt: isBulkDownload })
  addApiContentPolicy(app)
  const limited = limitRequests(app, services, { ...LIMITS, isExempt: isBulkDownload })
  await app.register(async (writes) => addWriteRoutes(writes, limited))
  await app.register(async (reads) => addReadRoutes(reads, limited))
}

/** Reads accept the credentials of the other downloads, although their content is the same for all callers. */
function addReadRoutes(app: FastifyInstance, services: Services & { readonly downloads: Downloads }): void {
  identifyCaller(app, services)
  addKeyPrivacy(app)
  addDiscoveryRoutes(app, services)
  addServiceRoutes(app, services)
  addRequestRoutes(app, services)
  addTokenRoutes(app, services)
  addBulkRoutes(app, services)
  addAreaRoutes(app, services)
  addUpdateRoutes(app, services)
}

/** The routes that write, in a scope of their own: their caller needs a key or a Bearer token. */
function addWriteRoutes(app: FastifyInstance, services: Services): void {
  addWriteCredentials(app, services)
  addIdempotency(app, services)
  addReportRoutes(app, services)
  addUpdateWritingRoutes(app, services)
}

/** Reads ignore `api_key`, which many clients always send, but no cache may store a response whose URL contains it. */
function addKeyPrivacy(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (Object.hasOwn(request.query as object, 'api_key')) request.hasTokenParameter = true
    }),
  )
}

/** Statuses of GeoReport v2 that differ from those of the API: 400 for any invalid input, 403 for a wrong key. */
const statuses: Readonly<Record<number, number>> = { 401: 403, 422: 400 }

/** The parameters whose names differ from those of the API, whose features check them. */
const parameterNames: Readonly<Record<string, string>> = { lng: 'long', search: 'q' }

/** Sends the list of errors of GeoReport v2 in the requested format: the status as code, and a description in the language of the client. */
function sendErrors(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const language = negotiateLanguage(request)
  const code = statuses[problem.status] ?? problem.status
  const errors = describe(problem, language).map((description): Value => ({ code, description }))
  const format = requestedFormat(request)
  const { 'www-authenticate': _, ...headers } = problem.headers
  return reply
    .code(code)
    .headers(code === problem.status ? problem.headers : headers)
    .header('content-language', language)
    .type(contentTypes[format])
    .serializer((body: unknown) => String(body))
    .send(render({ root: 'errors', value: errors }, format))
}

function describe({ body }: Problem, language: Language): readonly string[] {
  if (body.kind === 'message') return [inLanguage(body.message, language)]
  return Object.entries(body.fields).flatMap(([field, reasons]) => {
    const name = Object.hasOwn(parameterNames, field) ? (parameterNames[field] ?? field) : field
    return toList(reasons).map((reason) => inLanguage(text('parameter_error', { name, reason }), language))
  })
}

const toList = (reasons: Text | readonly Text[]): readonly Text[] => [reasons].flat()
