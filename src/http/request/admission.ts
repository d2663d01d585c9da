import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Config } from '../../config.ts'
import { problems } from '../../errors/problems.ts'
import { type Limiter, limitConcurrency } from './concurrency-limit.ts'
import { whenSent } from './hooks.ts'
import { isRead } from './same-origin.ts'

const QUEUE_MAX = 200
/** Requests also check credentials, hash passwords and write their response, without a connection. */
const REQUESTS_PER_CONNECTION = 5

export interface AdmissionOptions {
  readonly config: Pick<Config, 'databasePools' | 'replicaUrls'>
  readonly apiWaitMaxMs: number
}

/**
 * Refuses requests with 503 that would wait for longer than `apiWaitMaxMs`, reads before any other work. A request leaves the queue when its
 * client does, and occupies its slot until its handler ends, so that clients that leave cannot accumulate work. Uploads have limits of their own.
 */
export function admitRequests(app: FastifyInstance, { config, apiWaitMaxMs }: AdmissionOptions): void {
  const { databasePools: pools, replicaUrls } = config
  const readConnections = pools.read * Math.max(1, replicaUrls.length)
  const waiting = { queueMax: QUEUE_MAX, waitMaxMs: apiWaitMaxMs }
  const limitReads = limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * readConnections })
  const limitChanges = limitConcurrency({ ...waiting, concurrency: REQUESTS_PER_CONNECTION * pools.write })
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
  app.addHook('onRequest', async (request, reply) => {
    if (isRead(request)) await admit(limitReads, request, reply)
  })
  app.addHook('preHandler', async (request, reply) => {
    if (!isRead(request) && !request.isMultipart()) await admit(limitChanges, request, reply)
  })
}
