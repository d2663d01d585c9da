import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../errors/problems.ts'
import type { Services } from '../services.ts'

const Health = Type.Object({ status: Type.Unsafe<'ok'>({ type: 'string', const: 'ok' }) })
const DATABASE_ANSWERS_WITHIN_MS = 3_000

/** Health checks for load balancers and containers: `live` checks the process, `ready` the database as well. */
export const healthRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  const schema = { response: { 200: Health } }
  const ready = async () => {
    const answered = db.ping().then(
      () => true,
      () => false,
    )
    const timeout = new Promise<false>((resolve) => setTimeout(() => resolve(false), DATABASE_ANSWERS_WITHIN_MS).unref())
    if (!(await Promise.race([answered, timeout]))) throw problems.unavailable()
    return { status: 'ok' as const }
  }
  app.get('/health/live', { schema }, async () => ({ status: 'ok' as const }))
  app.get('/health/ready', { schema }, ready)
  // An alias for checks that support a single URL.
  app.get('/health', { schema }, ready)
}
