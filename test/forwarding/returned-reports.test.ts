import { describe, expect, it } from 'vitest'

import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { respond } from '../georeport/open-fake-endpoint.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { openOpsApp } from '../ops/ops-app.ts'
import { createCity, createWorker, report, write } from './city.ts'

const app = useApp()
const POSTS = '/requests.json'

describe('a report of an organisation with an endpoint', () => {
  it('is sent whatever its text says, with links to the issues through which it came', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    const id = await report(app, city)
    await app.db.prisma.issue.update({ where: { id }, data: { description: `Reference: ${endpoint.url}/issues/7` } })
    await app.db.prisma.reportOrigins.create({ data: { issue_id: id, addresses: ['https://b.example/issues/5'] } })

    await createWorker(app).deliver()

    expect(endpoint.posts(POSTS).map(({ headers }) => headers.link)).toEqual([
      `<${PUBLIC_URL}/issues/${id}>; rel="via", <https://b.example/issues/5>; rel="via"`,
    ])
    expect(endpoint.requests.length).toBe(1)
  })

  it('is done if the endpoint has the issue from which it came, and its updates are not sent', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    endpoint.fail('POST', POSTS, respond(409, '', { link: `<${endpoint.url}/issues/5>; rel="duplicate"` }))
    const id = await report(app, city)
    await write(app, city.resident, id, 'comments', 'It grows.')
    const worker = createWorker(app)

    expect([await worker.deliver(), await worker.deliver()]).toEqual([[], []])

    expect(endpoint.received.length).toBe(1)
    expect([await worker.pending(), await worker.deadLetters()]).toEqual([[], []])
  })

  it('is sent only to an endpoint that is not the service from which it came, also under another address', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    const document = { endpoints: [{ specification: 'http://wiki.open311.org/GeoReport_v2', url: 'https://b.example/open311/v2' }] }
    endpoint.fail('GET', '/', respond(200, JSON.stringify(document)), Infinity)
    const [returned = 0, other = 0] = [await report(app, city), await report(app, city)]
    await app.db.prisma.reportOrigins.createMany({
      data: [
        { issue_id: returned, addresses: ['https://c.example/issues/1', 'https://b.example/issues/5'] },
        { issue_id: other, addresses: ['https://b.example.org/issues/5'] },
      ],
    })
    const worker = createWorker(app)

    expect([await worker.deliver(), await worker.deliver()]).toEqual([[], []])

    expect(endpoint.posts(POSTS).map(({ headers }) => headers.link)).toEqual([
      `<${PUBLIC_URL}/issues/${other}>; rel="via", <https://b.example.org/issues/5>; rel="via"`,
    ])
    expect([await worker.pending(), await worker.deadLetters()]).toEqual([[], []])
  })

  it('is a dead letter if the endpoint rejects it later, and a new report if it is retried', async () => {
    const endpoint = await startFakeEndpoint({ token: true })
    const city = await createCity(app, endpoint)
    const id = await report(app, city)
    const worker = createWorker(app)
    await worker.deliver()
    await write(app, city.resident, id, 'comments', 'It grows.')
    endpoint.tokens.clear()

    await worker.poll()
    const dead = await worker.deadLetters()
    const { post } = await openOpsApp(app.db)
    await post(`/ops/dead-letters/${dead[0]?.event_id}/forward-issue/retry`)
    await worker.deliver()

    expect(dead.map(({ last_error }) => last_error)).toEqual([
      'EndpointRefusal: the endpoint accepted the report and rejected it later',
    ])
    const [first, second] = endpoint.posts(POSTS).map(({ headers }) => headers['idempotency-key'])
    expect(second).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    expect((await worker.pending()).map(({ handler }) => handler)).toEqual(['forward-update'])
  })
})
