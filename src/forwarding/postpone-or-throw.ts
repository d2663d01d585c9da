import type { Queryable } from '../database/database.ts'
import { EndpointRefusal, pauseOf } from '../georeport/endpoint-client.ts'
import { FinalDeliveryError } from '../outbox/queries.ts'
import { type Endpoint, pauseEndpoint } from './endpoint-queries.ts'

/**
 * Ends a delivery that failed: it is postponed if the endpoint asked for a pause.
 * @param refused statuses after which the same delivery would fail again
 * @throws the error, or FinalDeliveryError for a refusal
 */
export async function postponeOrThrow(
  db: Queryable,
  endpoint: Endpoint,
  error: unknown,
  refused: ReadonlySet<number>,
): Promise<{ readonly postponedUntil: string }> {
  const pause_s = pauseOf(error)
  if (pause_s !== undefined) return { postponedUntil: await pauseEndpoint(db, endpoint, pause_s) }
  if (error instanceof EndpointRefusal && refused.has(error.status)) throw new FinalDeliveryError(error.message)
  throw error
}
