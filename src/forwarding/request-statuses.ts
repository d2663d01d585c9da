import { EndpointRefusal } from '../georeport/endpoint-client.ts'
import type { GeoReportClient } from '../georeport/geo-report.ts'
import { type ParsedRecord, textOf, readState, type UpdateStatus } from '../georeport/parse-response.ts'

interface RequestStatus {
  readonly service_request_id: string
  readonly status: string | undefined
  /** The text for residents. */
  readonly text: string | undefined
}

/** Returns the present statuses of service requests. @throws EndpointError, EndpointRefusal */
export async function fetchStatuses(client: GeoReportClient, ids: readonly string[]): Promise<RequestStatus[]> {
  const records = await client.get('requests', { service_request_id: ids.join(',') })
  return records.flatMap((record) => toRequestStatus(record) ?? [])
}

/** Returns undefined if the endpoint has no such service request, or does not show any. @throws EndpointError */
export async function fetchState(client: GeoReportClient, id: string): Promise<UpdateStatus | undefined> {
  const statuses = await unlessRefused(fetchStatuses(client, [id]))
  return readState(statuses?.find(({ service_request_id }) => service_request_id === id)?.status)
}

/** Returns undefined if the endpoint refuses to show service requests. */
export function unlessRefused<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof EndpointRefusal && error.pause_s === undefined) return undefined
    throw error
  })
}

/** `status_notes` is a text for residents, or the exact status. */
function toRequestStatus(record: ParsedRecord): RequestStatus | undefined {
  const [service_request_id, status, notes] = [
    textOf(record, 'service_request_id'),
    textOf(record, 'status'),
    textOf(record, 'status_notes'),
  ]
  if (service_request_id === undefined) return undefined
  const isExact = readState(notes) !== undefined
  return { service_request_id, status: isExact ? notes : status, text: isExact ? undefined : notes }
}
