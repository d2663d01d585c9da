import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Config } from '../../config.ts'
import { problems, type Problem, toProblemJson } from '../../errors/problems.ts'
import { newRequestId } from './request-log.ts'
import { type Limiter, limitConcurrency, type QueueLimiter } from './request-limit.ts'
import { whenSent, isRead } from './hooks.ts'
import { apiPrefix, type Urls } from './urls.ts'
import { type Language, languages } from '../../locales/texts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests wait for something that happens, and have limits of their own. */
    waits?: true
  }
}

const QUEUE_MAX = 100
/** Requests also check credentials, hash passwords and write their response, without a connection. */
const REQUESTS_PER_CONNECTION = 5

interface AdmissionOptions {
  readonly config: Pick<Config, 'databasePools' | 'replicaUrls'>
  readonly urls: Urls
  readonly apiWaitMaxMs: number
}

/** The queues of the API, and the response of a request that finds no place in them. */
export interface Admission {
  readonly reads: QueueLimiter
  readonly changes: Limiter
  readonly refuse: Refuse
}

export function openAdmission({ config, urls, apiWaitMaxMs }: AdmissionOptions): Admission {
  const { databasePools: pools, replicaUrls } = config
  const readConnections = pools.read * Math.max(1, replicaUrls.length)
  const waiting = { queueMax: QUEUE_MAX, waitMaxMs: apiWaitMaxMs }
  return {
    reads: limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * readConnections }),
    changes: limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * pools.write }),
    refuse: earlyRefusal(problems.unavailable(), urls),
  }
}

/**
 * Returns a listener that refuses reads of the API while their queue is full, and leaves all other requests to `handle`. It works before Fastify: at
 * four times the requests that the service can answer, each refusal may take a sixteenth of the time of an answer.
 * @param onRefused called for each refused request, such as to count and log it
 */
export function refuseReadsWhileFull(
  { reads, refuse }: Admission,
  handle: RequestListener,
  onRefused: (request: IncomingMessage, requestId: string) => void,
): RequestListener {
  return (request, response) => {
    if (!reads.isFull() || !isRead(request) || !request.url?.startsWith(`${apiPrefix}/`)) return handle(request, response)
    const requestId = newRequestId()
    refuse(request, response, requestId)
    onRefused(request, requestId)
  }
}

/**
 * Refuses requests with 503 that would wait for longer than `apiWaitMaxMs`, reads before any other work. A request leaves the queue when its
 * client does, and occupies its slot until its handler ends, so that clients that leave cannot accumulate work. Uploads have limits of their own.
 */
export function admitRequests(app: FastifyInstance, { reads, changes, refuse }: Admission): void {
  const handling = new WeakMap<FastifyRequest, Promise<unknown>>()

  app.addHook('onRoute', (route) => {
    const handle = route.handler
    route.handler = function (request, reply) {
      if (reply.raw.destroyed) throw problems.unavailable()
      const handled: unknown = handle.call(this, request, reply)
      if (handled instanceof Promise) handling.set(request, handled)
      return handled
    }
  })
  const admit = (limiter: Limiter, request: FastifyRequest, reply: FastifyReply) =>
    new Promise<void>((resolve, reject) => {
      const occupy = async () => {
        resolve()
        await whenSent(reply)
        await handling.get(request)?.catch(() => undefined)
      }
      limiter(occupy, () => whenSent(reply)).catch(reject)
    })
  app.addHook('onRequest', (request, reply, done) => {
    if (!isRead(request) || request.routeOptions.config.waits) return done()
    admit(reads, request, reply).then(
      () => done(),
      () => refuse(request.raw, reply.hijack().raw, request.id),
    )
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!isRead(request) && !request.isMultipart()) await admit(changes, request, reply)
  })
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie, Accept, Accept-Language',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
  'x-content-type-options': 'nosniff',
}
const REQUEST_ID = '{request_id}'

/** Sends a response, and ends it. */
type Refuse = (request: IncomingMessage, response: ServerResponse, requestId: string) => void

/** Returns a function that sends a problem of the API without Fastify, whose hooks take most of the time of a refusal. */
function earlyRefusal(problem: Problem, urls: Urls): Refuse {
  const bodies = new Map<Language, readonly string[]>()
  const bodyIn = (language: Language) => {
    const context = { documentation: urls.documentation, requestId: REQUEST_ID, language }
    const parts = bodies.get(language) ?? JSON.stringify(toProblemJson(problem, context)).split(REQUEST_ID)
    bodies.set(language, parts)
    return parts
  }
  return (request, response, requestId) => {
    const language = firstLanguage(request)
    const body = bodyIn(language).join(requestId)
    response.writeHead(problem.status, {
      ...HEADERS,
      ...problem.headers,
      'content-language': language,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(body),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/** Returns the first language of `Accept-Language`, where browsers put the best one, or English. */
function firstLanguage({ headers }: IncomingMessage): Language {
  const first = headers['accept-language']?.trimStart().slice(0, 2).toLowerCase()
  return languages.find((language) => language === first) ?? 'en'
}
