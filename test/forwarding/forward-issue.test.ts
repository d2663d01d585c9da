import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { STARTS_MAX } from '../../src/outbox/queries.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { respond } from '../georeport/open-fake-endpoint.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { openOpsApp } from '../ops/ops-app.ts'
import { createCity, createWorker, report, ROADS } from './city.ts'

const app = useApp()
const POSTS = '/requests.json'

describe('a report of an organisation with an endpoint', () => {
  it('is created there once, and its issue shows the link', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    const id = await report(app, city)
    const worker = createWorker(app)

    expect(await worker.deliver()).toEqual([])
    expect(await worker.deliver()).toEqual([])

    expect(endpoint.posts(POSTS).map(({ form }) => form)).toEqual([
      {
        ...ROADS,
        lat: String(GREEN.lat),
        long: String(GREEN.lng),
        address_string: '165 Church Street',
        description: `A deep pothole\n\nIt is full of water.\n\nReference: ${PUBLIC_URL}/issues/${id}`,
      },
    ])
    expect(endpoint.posts(POSTS)[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({
      integrations: { remote_id: null, title: 'Open311 SR-1', status: 'open' },
    })
    expect(await worker.pending()).toEqual([])
  })

  it('gets the service code of its request type, or is not sent without one', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint, { default_service_code: null })
    await report(app, city)
    const other = await app.create.requestType({ title: 'Graffiti', organization: city.organization })
    await app.db.prisma.forwardingServiceCode.create({ data: { request_type_id: other, service_code: 'WALLS' } })
    await report(app, { ...city, type: other })
    const worker = createWorker(app)

    await worker.deliver()

    expect(endpoint.requests.map(({ service_code }) => service_code)).toEqual(['WALLS'])
    expect(await worker.pending()).toEqual([])
  })

  it('is not sent while the organisation sends none, or if it belongs to another organisation or none', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint, { sends_reports: false })
    await report(app, city)
    const other = await app.create.organization({ name: 'Parks' })
    await report(app, { ...city, type: await app.create.requestType({ organization: other }) })
    await report(app, { ...city, type: await app.create.requestType() })

    await createWorker(app).deliver()

    expect(endpoint.received).toEqual([])
  })

  it('has no delivery if no organisation has an endpoint', async () => {
    const organization = await app.create.organization()
    const type = await app.create.requestType({ organization })
    const resident = await app.create.user()
    await report(app, { organization, type, employee: resident, resident })

    expect(await createWorker(app).pending()).toEqual([])
  })

  it('waits for approval if it is pending review, and is never sent if it is rejected', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = TRUE WHERE o.id = ${city.organization}`)
    const moderator = await app.create.user({ memberOf: [{ organization: city.organization, role: 'moderator' }] })
    await report(app, city)
    await report(app, city, { answers: { summary: 'Another pothole' } })
    const worker = createWorker(app)
    await worker.deliver()
    expect(endpoint.received).toEqual([])

    const [approved, rejected] = await app.db.prisma.moderationItem.findMany({ orderBy: { id: 'asc' } })
    await app.as.user(moderator).send('POST', `/api/v2/moderation/${approved?.id}/approve`)
    await app.as.user(moderator).send('POST', `/api/v2/moderation/${rejected?.id}/reject`)
    await worker.deliver()

    expect(endpoint.requests.map(({ description }) => String(description).split('\n')[0])).toEqual(['A deep pothole'])
  })

  it('has a remote_id if the id of the endpoint is an integer', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail(
      'POST',
      POSTS,
      respond(201, '<service_requests><request><service_request_id>638344</service_request_id></request></service_requests>'),
    )
    const id = await report(app, await createCity(app, endpoint))

    await createWorker(app).deliver()

    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({
      integrations: { remote_id: 638_344, title: 'Open311 638344', status: 'open' },
    })
  })

  it('has the link to its picture in the text if the endpoint refuses media_url', async () => {
    const endpoint = await startFakeEndpoint()
    const id = await report(app, await createCity(app, endpoint))
    await app.db.execute(sql`
      INSERT INTO media (issue_id, full_key, content_type, bytes, width, height) VALUES (${id}, 'one.png', 'image/png', 1, 1, 1)`)
    endpoint.fail('POST', POSTS, respond(400))

    expect(await createWorker(app).deliver()).toEqual([])

    expect(endpoint.posts(POSTS).map(({ form }) => form['media_url'])).toEqual([`${PUBLIC_URL}/files/one.png`, undefined])
    expect(endpoint.requests[0]?.['description']).toMatch(
      new RegExp(`^A deep pothole[^]*/issues/${id}\n\n${PUBLIC_URL}/files/one.png$`),
    )
  })

  it('gets its id later if the endpoint gives a token', async () => {
    const endpoint = await startFakeEndpoint({ token: true })
    const id = await report(app, await createCity(app, endpoint, { receives_updates: false }))
    const worker = createWorker(app)
    const integrations = async () => ((await app.as.anonymous.get(`/issues/${id}`)).body as { integrations: object }).integrations

    await worker.deliver()
    await worker.poll()
    expect(await integrations()).toEqual({ remote_id: null, title: null, status: null })
    endpoint.tokens.set('token-SR-1', 'SR-1')
    await worker.poll()

    expect(await integrations()).toEqual({ remote_id: null, title: 'Open311 SR-1', status: 'open' })
  })
})

describe('an attempt that fails', () => {
  it.each([
    ['responds 500', respond(500, 'Oops')],
    ['responds no JSON', respond(200, 'Thank you')],
    ['responds no id', respond(200, '[{"service_notice": "Thank you"}]')],
    ['responds an id that is too long', respond(200, `[{"service_request_id": "${'9'.repeat(3_000)}"}]`)],
    ['responds too much', respond(200, 'x'.repeat(5_000_000))],
    ['does not respond', 'hang'],
    ['closes the connection', 'reset'],
  ] as const)('is repeated if the endpoint %s, after a look at what the endpoint has', async (_, failure) => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('POST', POSTS, failure)
    await report(app, await createCity(app, endpoint))
    const worker = createWorker(app, { timeoutMs: 500 })

    expect((await worker.deliver()).length).toBe(1)
    expect(await worker.deliver()).toEqual([])
    expect(endpoint.posts(POSTS).length).toBe(1)
    await worker.wait()
    await worker.deliver()

    expect(endpoint.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${POSTS}`,
      `GET ${POSTS}`,
      `POST ${POSTS}`,
    ])
    expect(endpoint.requests.length).toBe(1)
    const [first, , second] = endpoint.received
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(await worker.pending()).toEqual([])
  })

  it('creates one service request if the response was lost after the creation', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('POST', POSTS, 'lose')
    const id = await report(app, await createCity(app, endpoint))
    const worker = createWorker(app)

    await worker.deliver()
    await worker.wait()
    endpoint.fail('GET', POSTS, respond(503))
    expect(await worker.deliver()).toEqual(['the endpoint responded 503'])
    await worker.wait()
    await worker.deliver()

    expect(endpoint.posts(POSTS).length).toBe(1)
    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({ integrations: { title: 'Open311 SR-1' } })
  })

  it('creates one service request if this process stops after the response', async () => {
    const endpoint = await startFakeEndpoint()
    await report(app, await createCity(app, endpoint))
    const crashing = createWorker(app, { more: { db: { ...app.db, transaction: failSecond(app.db.transaction) } } })
    const worker = createWorker(app)

    expect(await crashing.deliver()).toEqual(['The process was killed.'])
    expect(await worker.deliver()).toEqual([])
    expect(endpoint.posts(POSTS).length).toBe(1)
    await worker.wait()
    await worker.deliver()

    expect(endpoint.posts(POSTS).length).toBe(1)
    expect(await worker.pending()).toEqual([])
  })

  it('is repeated without a look if the endpoint was away', async () => {
    const endpoint = await startFakeEndpoint()
    await report(app, await createCity(app, endpoint))
    const worker = createWorker(app)
    await endpoint.stop()

    expect(await worker.deliver()).toEqual(['the endpoint cannot be reached: ECONNREFUSED'])
    await endpoint.start()
    await worker.deliver()

    expect(endpoint.received.map(({ method }) => method)).toEqual(['POST'])
    expect(await worker.pending()).toEqual([])
  })

  it('does not reach another host by a redirect, nor a private address', async () => {
    const [endpoint, other] = [await startFakeEndpoint(), await startFakeEndpoint()]
    endpoint.fail('POST', POSTS, respond(307, '', { location: `${other.url}${POSTS}` }))
    await report(app, await createCity(app, endpoint))

    const errors = [
      await createWorker(app).deliver(),
      await createWorker(app, { more: { endpoints: app.services.endpoints } }).deliver(),
    ]

    expect(errors.flat()).toEqual([
      'the endpoint responded 307',
      'the host of the endpoint has a private address that is not in FORWARD_ALLOW',
    ])
    expect([endpoint.received.length, other.received.length]).toEqual([1, 0])
  })

  it('is a dead letter after a day, or at once if the endpoint refuses the report, and can be retried', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    endpoint.fail('POST', POSTS, respond(503), STARTS_MAX)
    await report(app, city)
    const worker = createWorker(app)
    for (let start = 0; start < STARTS_MAX; start++) {
      await worker.deliver()
      await worker.wait()
    }
    endpoint.fail('POST', POSTS, respond(400, '[{"code": 400, "description": "The address is outside of the city."}]'))
    await report(app, city, { answers: { summary: 'Another pothole' } })
    await worker.deliver()

    const dead = await worker.deadLetters()
    const { post, ask } = await openOpsApp(app.db)
    const listed = (await ask('/ops/dead-letters')).body
    for (const { event_id } of dead) await post(`/ops/dead-letters/${event_id}/forward-issue/retry`)
    await worker.deliver()

    expect(dead.map(({ last_error }) => last_error)).toEqual([
      'EndpointError: the endpoint responded 503',
      'FinalDeliveryError: the endpoint responded 400: The address is outside of the city.',
    ])
    expect(listed).toMatchObject({ dead_letters: [{ handler: 'forward-issue' }, { handler: 'forward-issue' }] })
    expect(endpoint.requests.length).toBe(2)
    expect([await worker.pending(), await worker.deadLetters()]).toEqual([[], []])
  })

  it('is in the trace of its event', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.fail('POST', POSTS, respond(500))
    await report(app, await createCity(app, endpoint))
    const worker = createWorker(app)
    const [delivery] = await worker.pending()
    await worker.deliver()
    const { ask } = await openOpsApp(app.db)

    const { text } = await ask(`/ops/trace/${delivery?.event_id}`, { accept: 'application/json' })

    expect(text).toContain('"handler":"forward-issue"')
    expect(text).toContain('the endpoint responded 500')
    expect(text).not.toContain(ROADS.api_key)
  })
})

/** The first transaction is the lease, the second one records the result. */
function failSecond(transaction: typeof app.db.transaction): typeof app.db.transaction {
  let count = 0
  return (work) => (++count === 2 ? Promise.reject(new Error('The process was killed.')) : transaction(work))
}
