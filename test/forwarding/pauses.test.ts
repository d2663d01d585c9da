import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { type Failure, respond } from '../georeport/open-fake-endpoint.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createCity, createWorker, report } from './city.ts'

const app = useApp()
const POSTS = '/requests.json'

const deliveries = () =>
  queryRows<{ starts: number; wait_s: number }>(
    app.db,
    sql`
      SELECT d.starts, ceil(extract(epoch FROM d.due_at - now()))::integer AS wait_s FROM outbox_deliveries d
      WHERE d.handler = 'forward-issue' AND d.delivered_at IS NULL`,
  )
const endPause = () =>
  app.db.execute(sql`UPDATE forwarding_endpoints e SET paused_until = now() - interval '1 second' WHERE e.organization_id > 0`)

/** Reports some issues to a city whose endpoint first responds with a failure. */
async function reportTo(failure: Failure, count: number) {
  const endpoint = await startFakeEndpoint()
  const city = await createCity(app, endpoint)
  endpoint.fail('POST', POSTS, failure)
  for (let n = 1; n <= count; n++) await report(app, city, { answers: { summary: `Pothole ${n}` } })
  return { endpoint, worker: createWorker(app) }
}

describe('an endpoint that is busy', () => {
  it.each([
    ['429 with Retry-After', respond(429, '', { 'retry-after': '30' }), 30],
    ['429 without it', respond(429), 60],
    ['403 to a blocked client', respond(403, '', { 'retry-after': '3600' }), 3_600],
    ['503 with a time', respond(503, '', { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }), 600],
    ['409 for a key in use', respond(409, '', { 'retry-after': '1' }), 1],
    ['429 with a time that is too long', respond(429, '', { 'retry-after': '999999' }), 3_600],
  ])('is left alone after %s, and nothing counts as a failure', async (_, failure, seconds) => {
    const { endpoint, worker } = await reportTo(failure, 2)

    expect(await worker.deliver()).toEqual([])
    await worker.poll()

    expect(endpoint.received.length).toBe(1)
    const waiting = await deliveries()
    expect(waiting.map(({ starts }) => starts)).toEqual([0, 0])
    for (const { wait_s } of waiting) expect(Math.abs(wait_s - seconds)).toBeLessThan(30)
  })

  it('gets everything after the pause', async () => {
    const { endpoint, worker } = await reportTo(respond(429, '', { 'retry-after': '30' }), 3)
    await worker.deliver()
    await endPause()

    expect(await worker.deliver()).toEqual([])

    expect(endpoint.requests.length).toBe(3)
    expect([await worker.pending(), await worker.deadLetters()]).toEqual([[], []])
  })

  it('is polled again after the pause, without a failure', async () => {
    const endpoint = await startFakeEndpoint()
    await createCity(app, endpoint)
    endpoint.fail('GET', '/servicerequestupdates', respond(429, '', { 'retry-after': '30' }))
    const worker = createWorker(app)

    await worker.poll()
    await worker.poll()
    expect(endpoint.received.length).toBe(1)
    expect(await app.db.prisma.forwardingEndpoint.findFirst()).toMatchObject({
      poll_failures: 0,
      last_poll_error: 'the endpoint responded 429',
    })
    await endPause()
    await worker.poll()

    expect(await worker.pollError()).toBeNull()
  })
})
