import { EndpointError, EndpointRefusal } from '../georeport/endpoint-error.ts'
import { addDeliveryJobs } from '../outbox/delivery-jobs.ts'
import type { JobQueue } from '../queue/queue.ts'
import { leaseDueEndpoint, POLL_LEASE_S, recordPoll } from './endpoint-queries.ts'
import { pollEndpoint, type PollServices } from './poll-endpoint.ts'

type Services = Omit<PollServices, 'enqueueDeliveries'> & { readonly queue: Pick<JobQueue, 'enqueue'> }

/** Several processes share the endpoints. An endpoint that fails delays no other one, because each has its own time of the next poll. */
export async function pollEndpoints(services: Services, signal: AbortSignal): Promise<void> {
  const { db, log, queue } = services
  const enqueueDeliveries: PollServices['enqueueDeliveries'] = (deliveries) =>
    addDeliveryJobs(queue, deliveries).catch((error: unknown) => {
      log.warn({ err: error }, 'could not queue the outbox deliveries: the next run of dispatch-outbox queues them')
    })
  while (!signal.aborted) {
    const endpoint = await leaseDueEndpoint(db)
    if (!endpoint) return
    const { organization_id } = endpoint
    const ending = AbortSignal.any([signal, AbortSignal.timeout((POLL_LEASE_S * 1_000) / 2)])
    try {
      const received = await pollEndpoint({ ...services, enqueueDeliveries }, endpoint, ending)
      await recordPoll(db, endpoint, null)
      if (received > 0) log.info({ organization_id, received }, 'updates received from an endpoint')
    } catch (error) {
      log.warn({ organization_id, err: error }, 'an endpoint could not be polled')
      await recordPoll(db, endpoint, describe(error))
    }
  }
}

/** Other errors may contain values of a statement. */
function describe(error: unknown): string {
  if (error instanceof EndpointError || error instanceof EndpointRefusal) return error.message
  return error instanceof Error ? error.name : 'Error'
}
