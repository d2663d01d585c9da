import type { FastifyInstance } from 'fastify'

/** Limit for active requests at shutdown. It leaves time to close the database before the process is killed. */
const ANSWERS_MAX_MS = 7_000
const POLL_MS = 100

/** Answers active requests at shutdown, closes idle connections, and aborts requests that take too long. */
export function addGracefulShutdown(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    // Node closes only connections that are idle at the moment of the call.
    const poll = setInterval(() => server.closeIdleConnections(), POLL_MS)
    const cutOff = setTimeout(() => server.closeAllConnections(), ANSWERS_MAX_MS)
    server.once('close', () => {
      clearInterval(poll)
      clearTimeout(cutOff)
    })
  })
}
