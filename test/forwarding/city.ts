import { expect } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql } from '../../src/database/database.ts'
import { pollEndpoints } from '../../src/forwarding/poll-endpoints.ts'
import { createEndpointClient } from '../../src/georeport/endpoint-client.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import type { TestApp } from '../helpers/use-app.ts'

export const API_KEY = 'key-of-the-city'
const never = new AbortController().signal

export interface City {
  readonly organization: number
  readonly type: number
  readonly employee: TestUser
  readonly resident: TestUser
}

export interface Settings {
  readonly api_key?: string | null
  readonly shared?: readonly string[]
  readonly sends_reports?: boolean
  readonly sends_updates?: boolean
  readonly receives_updates?: boolean
  readonly extended_statuses?: boolean
  readonly default_service_code?: string | null
}

/** Creates an organisation with one request type, an employee and an endpoint. */
export async function createCity(
  app: TestApp,
  { url }: { readonly url: string },
  { shared = [], ...settings }: Settings = {},
): Promise<City> {
  const organization = await app.create.organization({ name: 'Public Works' })
  const type = await app.create.requestType({ title: 'Pothole', organization })
  const employee = await app.create.user({ name: 'Emma Employee', memberOf: [{ organization }] })
  const resident = await app.create.user({ name: 'Rosa Resident' })
  await app.db.prisma.forwardingEndpoint.create({
    data: {
      ...{ organization_id: organization, url, jurisdiction_id: 'city.example', api_key: API_KEY, format: 'json' },
      ...{
        default_service_code: 'ROADS',
        sends_reports: true,
        sends_updates: true,
        receives_updates: true,
        extended_statuses: true,
      },
      ...{ receiver_email: employee.email, shared: [...shared] },
      ...settings,
    },
  })
  return { organization, type, employee, resident }
}

/** Reports an issue through the API. */
export async function report(app: TestApp, city: City, fields: Record<string, unknown> = {}): Promise<number> {
  const response = await app.as.user(city.resident).send('POST', '/api/v2/issues', {
    body: {
      ...{ lat: GREEN.lat, lng: GREEN.lng, address: '165 Church Street', request_type_id: city.type },
      ...{ answers: { summary: 'A deep pothole', description: 'It is full of water.' } },
      ...fields,
    },
  })
  expect(response.status, response.text).toBeLessThan(300)
  return (response.body as { id: number }).id
}

export async function write(app: TestApp, person: TestUser, issue: number, action: string, comment: string): Promise<void> {
  const response = await app.as.user(person).send('POST', `/api/v2/issues/${issue}/${action}`, { body: { comment } })
  expect(response.status, response.text).toBeLessThan(300)
}

/** Returns a worker that runs deliveries and polls when a test calls it. */
export function createWorker(app: TestApp, { timeoutMs = 2_000, more = {} } = {}) {
  const services: JobServices = {
    ...app.services,
    endpoints: createEndpointClient({ allow: ['127.0.0.0/8'], timeoutMs }),
    queue: { enqueue: () => Promise.resolve('') },
    ...more,
  }
  const pending = () =>
    queryRows<{ event_id: number; handler: string }>(
      app.db,
      sql`
        SELECT d.event_id, d.handler FROM outbox_deliveries d
        WHERE d.handler LIKE 'forward-%' AND d.delivered_at IS NULL AND d.dead_at IS NULL ORDER BY d.event_id, d.handler`,
    )
  return {
    services,
    pending,
    deadLetters: () =>
      queryRows<{ event_id: number; handler: string; last_error: string }>(
        app.db,
        sql`
          SELECT d.event_id, d.handler, d.last_error FROM outbox_deliveries d
          WHERE d.handler LIKE 'forward-%' AND d.dead_at IS NOT NULL ORDER BY d.event_id, d.handler`,
      ),
    /** Runs each pending delivery once and returns the errors. */
    async deliver(): Promise<string[]> {
      const errors: string[] = []
      for (const delivery of await pending()) {
        await deliver(delivery, services, never).catch((error: unknown) => errors.push((error as Error).message))
      }
      return errors
    },
    /** Ends the leases and pauses of failed attempts. */
    async wait(): Promise<void> {
      await app.db.execute(sql`UPDATE forwarded_issues f SET leased_until = NULL WHERE f.issue_id > 0`)
      await app.db.execute(sql`UPDATE forwarded_updates f SET leased_until = NULL WHERE f.id > 0`)
    },
    async poll(): Promise<void> {
      // The column rounds to milliseconds, so the present time may become a later one.
      await app.db.execute(sql`
        UPDATE forwarding_endpoints e SET poll_due_at = now() - interval '1 second' WHERE e.organization_id > 0`)
      await pollEndpoints(services, never)
    },
    pollError: async () => (await app.db.prisma.forwardingEndpoint.findFirst())?.last_poll_error,
  }
}

export const ROADS = { service_code: 'ROADS', jurisdiction_id: 'city.example', api_key: API_KEY }

/** Reports an issue that the endpoint has. */
export async function createForwarded(app: TestApp, endpoint: { readonly url: string }, settings: Settings = {}) {
  const city = await createCity(app, endpoint, settings)
  const id = await report(app, city)
  const worker = createWorker(app)
  await worker.deliver()
  return { city, id, worker }
}
