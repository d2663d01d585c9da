import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyPluginAsync } from 'fastify'
import type { Queue } from 'bullmq'

import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'
import type { Services } from '../services.ts'

const BOARD_PATH = '/ops/queues'

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

/** The template of the board asks another server for fonts, without an option to turn it off. */
const FOREIGN_LINK = /<link [^>]*href="(?:https?:)?\/\/[^>]*>/g

/** New functions of the board are refused until they are listed. Routes are compared, because URLs have several spellings. */
const WRITES: ReadonlySet<string> = new Set([
  `PUT ${BOARD_PATH}/api/queues/:queueName/:jobId/retry`,
  `PUT ${BOARD_PATH}/api/queues/:queueName/retry/:queueStatus`,
  // The board asks for confirmation. The outbox queues drained deliveries again.
  ...['pause', 'resume', 'empty'].map((action) => `PUT ${BOARD_PATH}/api/queues/:queueName/${action}`),
])
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Bull Board shows the queues and their jobs and can retry jobs, and pause, resume and drain queues. The plugin that registers it guards its routes. */
export const boardRoutes: FastifyPluginAsync<Services> = async (app, { queue, urls }) => {
  if (!queue) return
  const adapter = new FastifyAdapter()
  createBullBoard({
    queues: Object.values(queue.queues).map((one) => new BullMQAdapter(one as unknown as Queue)),
    serverAdapter: adapter,
    options: {
      uiConfig: { boardTitle: 'Fixpoint', hideRedisDetails: true, showWorkers: false },
    },
  })
  // The service's error handler renders all errors, including those of the guard.
  adapter.setErrorHandler((error) => {
    throw error
  })
  adapter.setBasePath(`${new URL(urls.root).pathname.replace(/\/$/, '')}${BOARD_PATH}`)

  app.addHook('onRequest', async ({ method, params, routeOptions }) => {
    const isRead = method === 'GET' || method === 'HEAD'
    const isAllowed = WRITES.has(`${method} ${routeOptions.url ?? ''}`) && (params as { queueName?: string }).queueName !== ''
    if (!isRead && !isAllowed) throw boardActionForbidden()
    if (!queue.isUp()) throw problems.unavailable()
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return typeof payload === 'string' ? payload.replaceAll(FOREIGN_LINK, '') : payload
  })
  await app.register(adapter.registerPlugin(), { prefix: BOARD_PATH })
  app.route({
    method: WRITING,
    url: `${BOARD_PATH}/*`,
    schema: { hide: true },
    handler: () => {
      throw boardActionForbidden()
    },
  })
}

const boardActionForbidden = () => problems.notPermitted(text('board_action_forbidden'))
