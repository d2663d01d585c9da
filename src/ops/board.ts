import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyPluginAsync } from 'fastify'
import type { Queue } from 'bullmq'

import { problems } from '../errors/problems.ts'
import type { Services } from '../services.ts'
import { text } from '../errors/texts/text.ts'

export const BOARD_PATH = '/ops/queues'

/**
 * Its own scripts and styles, and the styles that they set in elements; no fonts of another host, no frames, and it asks nobody but us.
 */
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
 * All that it may write, as routes and not as addresses, which have many spellings. Nobody needs a browser to make jobs up, to change what
 * they say or when they run, or to empty the service of its work; and what a later version of the board can do is refused until it is here.
 */
const WRITES: ReadonlySet<string> = new Set([
  `PUT ${BOARD_PATH}/api/queues/:queueName/:jobId/retry`,
  `PUT ${BOARD_PATH}/api/queues/:queueName/retry/:queueStatus`,
])
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Bull Board: the queues and their jobs, with the buttons that try one again. Its routes stand behind the guard of whatever registers it;
 * that a write comes from a page of ours is asked of everything outside of the API (same-origin.ts).
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
  // Failures are answered as everywhere, the refusals of the guard among them.
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
  // Writes to addresses that the board does not know are refused in the same words.
  app.route({
    method: WRITING,
    url: `${BOARD_PATH}/*`,
    schema: { hide: true },
    handler: () => {
      throw refused()
    },
  })
}

const refused = () => problems.notPermitted(text('not_on_board'))
