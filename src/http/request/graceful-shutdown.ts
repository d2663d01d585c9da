import type { FastifyInstance } from 'fastify'

/** Time limit for active requests at shutdown. It leaves time to close the database before the process is killed. */
const ACTIVE_REQUESTS_MAX_MS = 7_000
const POLL_MS = 100

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes `isStopping` true: load balancers then send requests to other processes. */
    refuseReadiness(): void
    isStopping(): boolean
  }
}

export function addGracefulShutdown(app: FastifyInstance): void {
  let stopping = false
  app.decorate('refuseReadiness', () => void (stopping = true))
  app.decorate('isStopping', () => stopping)
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
