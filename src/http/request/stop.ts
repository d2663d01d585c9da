import type { FastifyInstance } from 'fastify'

/** Short of the time after which a stopping process is ended, so that the database can still be closed in order. */
const ANSWERS_MAX_MS = 7_000
const LOOK_EVERY_MS = 100

/** When the service stops, requests under way are answered, connections that wait for more are closed, and who is too slow is cut off. */
export function stopInTime(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    // Clients keep their connections after the last answer; Node closes only those that wait at this very moment.
    const look = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    const cutOff = setTimeout(() => server.closeAllConnections(), ANSWERS_MAX_MS)
    server.once('close', () => {
      clearInterval(look)
      clearTimeout(cutOff)
    })
  })
}
