import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyPluginAsync } from 'fastify'
import type { Queue } from 'bullmq'

import { problems } from '../http/problems.ts'
import type { Services } from '../services.ts'

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

/** What nobody needs from a browser: making jobs up, changing what they say, and emptying the service of its work. */
const REFUSED = /\/(add|obliterate|empty|update-data|job-schedulers\/[^/]+(\/remove)?)$/

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

  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD' && REFUSED.test(request.url.split('?')[0] ?? '')) {
      throw problems.notPermitted('The board may not do this: jobs come from what happens in the service.')
    }
    if (!queue.isUp()) throw problems.unavailable()
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return payload
  })
  await app.register(adapter.registerPlugin(), { prefix: BOARD_PATH })
}
