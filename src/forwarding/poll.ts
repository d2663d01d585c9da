import type { GeoReportClient } from '../georeport/geo-report.ts'
import { applyUpdate, type ReceivedUpdate } from './apply-update.ts'
import type { Endpoint, Receiver } from './endpoint-queries.ts'
import type { ForwardingServices } from './forward-issue.ts'

export interface PollServices extends ForwardingServices {
  readonly clock: () => Date
}

export interface Poll {
  readonly services: PollServices
  readonly endpoint: Endpoint
  readonly client: GeoReportClient
  readonly receiver: Receiver
  readonly counts: { received: number }
  /** Problems that ended no poll, without personal data. */
  readonly notes: string[]
}

/** Runs the work for one update. If it fails, other updates are read nevertheless, and this one is read again within an hour. */
export async function attempt<Result>(poll: Poll, update: ReceivedUpdate, work: () => Promise<Result>): Promise<Result | 'failed'> {
  const { services, endpoint, notes } = poll
  return work().catch((error: unknown) => {
    const { issue_id, update_id } = update
    services.log.warn(
      { issue_id, update_id, organization_id: endpoint.organization_id, err: error },
      'an update could not be applied',
    )
    notes.push(`an update of issue ${issue_id} could not be applied`)
    return 'failed' as const
  })
}

export async function apply({ services, receiver, counts, endpoint }: Poll, update: ReceivedUpdate): Promise<void> {
  const { db, log, clock } = services
  const applied = await db.transaction((tx) => applyUpdate(tx, update, receiver, clock()))
  if (applied === 'known') return
  counts.received++
  const { issue_id, update_id, status } = update
  log.info({ issue_id, update_id, status, organization_id: endpoint.organization_id }, 'update received')
}
