import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Config } from '../../config.ts'
import { problems } from '../../errors/problems.ts'
import { type Limiter, limitConcurrency, type QueueLimiter } from './concurrency-limit.ts'
import { whenSent } from './hooks.ts'
import { isRead } from './same-origin.ts'
import { apiPrefix } from './urls.ts'

const QUEUE_MAX = 100
/** Requests also check credentials, hash passwords and write their response, without a connection. */
const REQUESTS_PER_CONNECTION = 5

export interface AdmissionOptions {
  readonly config: Pick<Config, 'databasePools' | 'replicaUrls'>
  readonly apiWaitMaxMs: number
}

type Refuse = (request: FastifyRequest, reply: FastifyReply) => void

declare module 'fastify' {
  interface FastifyInstance {
    admission: {
      readonly reads: QueueLimiter
      readonly changes: Limiter
      readonly refuse: Refuse
    }
  }
}

/**
 * Creates the queues of the API for `admitRequests`, and refuses its reads while their queue is full. Call it before other plugins: at four times the
 * requests that the service can answer, each refusal may take a sixteenth of the time of an answer.
 */
export function addAdmission(app: FastifyInstance, { config, apiWaitMaxMs }: AdmissionOptions, refuse: Refuse): void {
  const { databasePools: pools, replicaUrls } = config
  const readConnections = pools.read * Math.max(1, replicaUrls.length)
  const waiting = { queueMax: QUEUE_MAX, waitMaxMs: apiWaitMaxMs }
  const reads = limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * readConnections })
  const changes = limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * pools.write })
  app.decorate('admission', { reads, changes, refuse })
  app.addHook('onRequest', (request, reply, done) => {
    if (reads.isFull() && isRead(request) && request.url.startsWith(`${apiPrefix}/`)) refuse(request, reply)
    else done()
  })
}

/**
 * Refuses requests with 503 that would wait for longer than `apiWaitMaxMs`, reads before any other work. A request leaves the queue when its
 * client does, and occupies its slot until its handler ends, so that clients that leave cannot accumulate work. Uploads have limits of their own.
 */
export function admitRequests(app: FastifyInstance): void {
  const { reads, changes, refuse } = app.admission
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
    if (!isRead(request)) return done()
    admit(reads, request, reply).then(
      () => done(),
      () => refuse(request, reply),
    )
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!isRead(request) && !request.isMultipart()) await admit(changes, request, reply)
  })
}
