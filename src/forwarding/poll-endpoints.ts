import { randomUUID } from 'node:crypto'

import { EndpointError, EndpointRefusal, pauseOf } from '../georeport/endpoint-client.ts'
import { leaseDueEndpoint, pauseEndpoint, POLL_LEASE_S, recordPoll, type Endpoint, findReceiver } from './endpoint-queries.ts'
import { type PollServices, apply, attempt, type Poll, readUpdates } from './read-updates.ts'
import { createGeoReportClient, type GeoReportClient } from '../georeport/geo-report.ts'
import { idOf } from '../georeport/parse-response.ts'
import { leaseLinks, leaseTokens, recordServiceRequestId } from './issue-queries.ts'
import { fetchStatuses, unlessRefused } from './request-statuses.ts'
import type { Database } from '../database/database.ts'
import { recordDeadLetter } from '../outbox/dead-letters.ts'

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

/** Limits of one poll, which then ends before its lease. The next poll continues. */
const TOKENS_MAX = 20
const LINKS_MAX = 200
const LINKS_PER_REQUEST = 50

/** Reads ids of accepted reports and updates of an endpoint. @throws EndpointError, EndpointRefusal */
async function pollEndpoint(
  services: PollServices,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Pick<Poll, 'counts' | 'notes'>> {
  const client = createGeoReportClient(services.endpoints, endpoint, signal)
  const result = { counts: { received: 0 }, notes: [] }
  await readTokens(services, endpoint, client)
  if (!endpoint.receives_updates) return result
  const receiver = await findReceiver(services.db, endpoint)
  if (!receiver) throw new EndpointError('the receiver is no member of the organisation with a confirmed address', false)
  const poll: Poll = { services, endpoint, client, receiver, ...result }
  const listsUpdates = await readUpdates(poll).then(
    () => true,
    (error: unknown) => {
      if (error instanceof EndpointRefusal && LACKS_UPDATES.has(error.status)) return false
      throw error
    },
  )
  if (!listsUpdates) await readStatuses(poll, 'all')
  else {
    await unlessRefused(readStatuses(poll, 'unknown')).catch((error: unknown) => {
      if (!(error instanceof EndpointError) || error.pause_s !== undefined) throw error
      poll.notes.push(`the status of service requests could not be read: ${error.message}`)
    })
  }
  return result
}

/** Statuses of endpoints that list no updates. */
const LACKS_UPDATES: ReadonlySet<number> = new Set([404, 405, 501])

async function readTokens({ db, log }: PollServices, endpoint: Endpoint, client: GeoReportClient): Promise<void> {
  for (const { issue_id, token } of await leaseTokens(db, endpoint, TOKENS_MAX)) {
    try {
      const [record] = await client.get(`tokens/${encodeURIComponent(token)}`, {})
      const id = record && idOf(record, 'service_request_id')
      if (id !== undefined) await recordServiceRequestId(db, issue_id, id)
    } catch (error) {
      if (!(error instanceof EndpointRefusal) || error.status !== 404) throw error
      log.warn({ issue_id, organization_id: endpoint.organization_id }, 'the endpoint has rejected a forwarded issue')
      await recordRejectedReport(db, issue_id)
    }
  }
}

/** Applies the statuses of service requests: all of an endpoint without a list of updates, otherwise those that are unknown. */
async function readStatuses(poll: Poll, which: 'all' | 'unknown'): Promise<void> {
  const { services, endpoint, client } = poll
  const links = await leaseLinks(services.db, endpoint, LINKS_MAX, which)
  for (let first = 0; first < links.length; first += LINKS_PER_REQUEST) {
    const part = links.slice(first, first + LINKS_PER_REQUEST)
    const statuses = await fetchStatuses(
      client,
      part.map((link) => link.service_request_id),
    )
    for (const { service_request_id, ...status } of statuses) {
      const changed = part.filter((link) => link.service_request_id === service_request_id)
      for (const { issue_id, remote_status } of changed) {
        const update = {
          ...{ issue_id, update_id: null, ...status, media_url: undefined, happened_at: undefined },
          known_status: remote_status,
        }
        await attempt(poll, update, () => apply(poll, update))
      }
    }
  }
}

/** The endpoint does not know the token any more: it has rejected the report. Its delivery is a dead letter, whose retry is a new report. */
async function recordRejectedReport(db: Database, issueId: number): Promise<void> {
  await db.transaction(async (tx) => {
    const rejected = { token: null, forwarded_at: null, remote_status: 'rejected', idempotency_key: randomUUID() }
    await tx.prisma.forwardedIssue.updateMany({ where: { issue_id: issueId }, data: rejected })
    await recordDeadLetter(tx, { subject_type: 'issue', subject_id: issueId, handler: 'forward-issue' }, REJECTED)
  })
}

const REJECTED = 'EndpointRefusal: the endpoint accepted the report and rejected it later'
