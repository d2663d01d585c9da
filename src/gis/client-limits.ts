import type { FastifyInstance } from 'fastify'

import { addClientLimits, type ClientLimits } from '../http/rate-limit/client-limits.ts'

/** A client gets fewer concurrent requests than the total, so that it cannot block other clients. GIS programs can wait. */
const CLIENT_LIMITS = { concurrency: 2, queueMax: 50, waitMaxMs: 5_000, rateFactor: 30, networkConcurrency: 3 }

/** Limits the requests of each client address to feeds, separately from those to the API. */
export const addGisClientLimits = (
  app: FastifyInstance,
  config: { readonly rateLimit: number },
  isExempt: ClientLimits['isExempt'] = () => false,
) => addClientLimits(app, config, { ...CLIENT_LIMITS, isExempt })
