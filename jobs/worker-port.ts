import { fastify } from 'fastify'

import type { Config } from '../src/config.ts'
import type { Database } from '../src/database/database.ts'
import { openMetrics } from '../src/ops/metrics.ts'
import { withTimeout } from '../src/ops/snapshot.ts'

/** Serves `/health`, and `/metrics` of this process. The web processes report what all workers have in common. */
export async function openWorkerPort({ workerPort, host }: Config, db: Database, ping: () => Promise<unknown>) {
  const metrics = openMetrics()
  const app = fastify()
  const answers = async (work: Promise<unknown>) => (await withTimeout(work.then(() => true))) ?? false
  app.get('/health', async (_request, reply) => {
    const isUp = await answers(ping())
    return reply.code(isUp ? 200 : 503).send({ status: isUp ? 'ok' : 'alarm' })
  })
  app.get('/metrics', async (_request, reply) => {
    const [isDatabaseUp, isQueueUp] = await Promise.all([answers(db.ping()), answers(ping())])
    return reply.type(metrics.contentType).send(await metrics.text({ isDatabaseUp, isQueueUp }, db.load()))
  })
  await app.listen({ port: workerPort, host })
  return () => app.close()
}
