import type { FastifyInstance } from 'fastify'

/** Time limit for active requests at shutdown. It leaves time to close the database before the process is killed. */
const ACTIVE_REQUESTS_MAX_MS = 7_000
const POLL_MS = 100

export function addGracefulShutdown(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    // Node closes only connections that are idle at the moment of the call.
    const poll = setInterval(() => server.closeIdleConnections(), POLL_MS)
    const cutOff = setTimeout(() => server.closeAllConnections(), ACTIVE_REQUESTS_MAX_MS)
    server.once('close', () => {
      clearInterval(poll)
      clearTimeout(cutOff)
    })
  })
}
