import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyPluginAsync } from 'fastify'
import type { Queue } from 'bullmq'

import { problems } from '../errors/problems.ts'
import type { Services } from '../services.ts'
import { text } from '../errors/texts/text.ts'

export const BOARD_PATH = '/ops/queues'

/** Only scripts, styles and requests of this origin, with inline styles, which the board sets. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The allowed writes, as routes, because URLs have several spellings. Creating, editing, rescheduling and deleting jobs is not needed,
 * and new functions of a later version of the board are refused until they are listed here.
 */
const WRITES: ReadonlySet<string> = new Set([
  `PUT ${BOARD_PATH}/api/queues/:queueName/:jobId/retry`,
  `PUT ${BOARD_PATH}/api/queues/:queueName/retry/:queueStatus`,
])
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Bull Board: the queues and their jobs, with buttons for a retry. The plugin that registers it guards its routes; same-origin.ts
 * checks the origin of writes.
 */
export const board: FastifyPluginAsync<Services> = async (app, { queue, urls }) => {
  if (!queue) return
  const adapter = new FastifyAdapter()
  createBullBoard({
    queues: Object.values(queue.queues).map((one) => new BullMQAdapter(one as unknown as Queue)),
    serverAdapter: adapter,
    options: {
      uiConfig: { boardTitle: 'Fixpoint', hideRedisDetails: true, showWorkers: true },
    },
  })
  // The service's error handler answers all errors, including those of the guard.
  adapter.setErrorHandler((error) => {
    throw error
  })
  adapter.setBasePath(`${new URL(urls.root).pathname.replace(/\/$/, '')}${BOARD_PATH}`)

  app.addHook('onRequest', async ({ method, routeOptions }) => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && !WRITES.has(`${method} ${routeOptions.url ?? ''}`)) throw refused()
    if (!queue.isUp()) throw problems.unavailable()
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return payload
  })
  await app.register(adapter.registerPlugin(), { prefix: BOARD_PATH })
  // Writes to unknown paths of the board get the same response.
  app.route({
    method: WRITING,
    url: `${BOARD_PATH}/*`,
    schema: { hide: true },
    handler: () => {
      throw refused()
    },
  })
}

const refused = () => problems.notPermitted(text('board_action_forbidden'))
