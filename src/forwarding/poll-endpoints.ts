import { EndpointError, EndpointRefusal, pauseOf } from '../georeport/endpoint-error.ts'
import { leaseDueEndpoint, pauseEndpoint, POLL_LEASE_S, recordPoll } from './endpoint-queries.ts'
import { pollEndpoint } from './poll-endpoint.ts'
import type { PollServices } from './poll.ts'

/** Several processes share the endpoints. An endpoint that fails delays no other one, because each has its own time of the next poll. */
export async function pollEndpoints(services: PollServices, signal: AbortSignal): Promise<void> {
  const { db, log } = services
  while (!signal.aborted) {
    const endpoint = await leaseDueEndpoint(db)
    if (!endpoint) return
    const { organization_id } = endpoint
    const ending = AbortSignal.any([signal, AbortSignal.timeout((POLL_LEASE_S * 1_000) / 2)])
    try {
      const {
        counts: { received },
        notes: [note],
      } = await pollEndpoint(services, endpoint, ending)
      await recordPoll(db, endpoint, note ?? null, false)
      if (received > 0) log.info({ organization_id, received }, 'updates received from an endpoint')
    } catch (error) {
      log.warn({ organization_id, err: error }, 'an endpoint could not be polled')
      const pause_s = pauseOf(error)
      if (pause_s !== undefined) await pauseEndpoint(db, endpoint, pause_s)
      await recordPoll(db, endpoint, describe(error), pause_s === undefined)
    }
  }
}

/** Other errors may contain values of a statement. */
function describe(error: unknown): string {
  if (error instanceof EndpointError || error instanceof EndpointRefusal) return error.message
  return error instanceof Error ? error.name : 'Error'
}
