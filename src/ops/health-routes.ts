import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { type Database, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { coalesceCalls } from '../http/caching/coalesce-calls.ts'
import type { Services } from '../services.ts'
import { withTimeout } from './snapshot.ts'

const Health = Type.Object({ status: Type.Unsafe<'ok'>({ type: 'string', const: 'ok' }) })
const DATABASE_ANSWERS_WITHIN_MS = 3_000

/** Health checks for load balancers and containers: `live` checks the process, `ready` the database and its connections as well. */
export const healthRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  const schema = { response: { 200: Health } }
  const answers = coalesceCalls(() => answersInTime(db))
  const ready = async () => {
    if (app.isStopping() || !(await answers())) throw problems.unavailable()
    return { status: 'ok' as const }
  }
  app.get('/health/live', { schema }, async () => ({ status: 'ok' as const }))
  app.get('/health/ready', { schema }, ready)
  // An alias for checks that support a single URL.
  app.get('/health', { schema }, ready)
}

const One = Type.Object({ one: Type.Integer() })

/** The statement takes a connection of the pool for credentials, rate limits and changes, because requests fail if none becomes free. */
async function answersInTime(db: Database): Promise<boolean> {
  const answer = await withTimeout(db.query(sql.type(One)`SELECT 1 AS one`), DATABASE_ANSWERS_WITHIN_MS)
  return answer !== undefined
}
