import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createReader, linkOf, V2 } from './reader.ts'

const app = useApp()
const { ask, readIds, readRequests } = createReader(app)
const DAY = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const around = ({ lng, lat }: typeof GREEN) => `bbox=${lng - 0.1},${lat - 0.1},${lng + 0.1},${lat + 0.1}`

/** Moves the changes so far to a time before all that the tests ask for. */
const endLog = () => app.db.execute(sql`UPDATE issue_changes SET changed_at = '2000-01-01T00:00:00Z'`)

describe('GET requests', () => {
  it('returns the fields of GeoReport v2, newest first', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    const type = await app.create.requestType({ title: 'Hole', organization })
    const other = await app.create.issue({
      status: 'Closed',
      created_at: '2026-11-22T00:00:00Z',
      closed_at: '2026-11-23T00:00:00Z',
    })
    const acknowledged = await app.create.issue({
      ...{ summary: 'Deep hole', description: 'By the school.', address: '250 Church St', request_type: type },
      ...{ status: 'Acknowledged', created_at: '2026-11-20T09:30:00.500Z', updated_at: '2026-11-21T10:00:00Z' },
    })

    const [first, second] = await readRequests('?start_date=2026-11-20T09:30:00Z')

    expect(first).toMatchObject({
      service_request_id: String(other),
      status: 'closed',
      status_notes: 'Closed',
      service_code: 'other',
    })
    expect(second).toEqual({
      service_request_id: String(acknowledged),
      status: 'open',
      status_notes: 'Acknowledged',
      service_name: 'Hole',
      service_code: String(type),
      description: 'Deep hole\n\nBy the school.',
      agency_responsible: 'Roads',
      service_notice: null,
      requested_datetime: '2026-11-20T09:30:00Z',
      updated_datetime: '2026-11-21T10:00:00Z',
      expected_datetime: null,
      address: '250 Church St',
      address_id: null,
      zipcode: null,
      lat: GREEN.lat,
      long: GREEN.lng,
      media_url: null,
    })
  })

  it('filters by status, service, text and area', async () => {
    const organization = await app.create.organization()
    const type = await app.create.requestType({ organization })
    const open = await app.create.issue({ summary: 'Lamp', created_at: daysAgo(1) })
    const taken = await app.create.issue({ status: 'Acknowledged', request_type: type, created_at: daysAgo(2) })
    const closed = await app.create.issue({ status: 'Closed', created_at: daysAgo(3), at: FAR_AWAY })
    const archived = await app.create.issue({ status: 'Archived', created_at: daysAgo(4) })
    await app.create.issue({ moderation_state: 'held', created_at: daysAgo(1) })
    await app.create.issue({ moderation_state: 'rejected', created_at: daysAgo(1) })

    expect(await readIds('')).toEqual([open, taken, closed, archived])
    expect(await readIds('?status=open')).toEqual([open, taken])
    expect(await readIds('?status=closed&q=')).toEqual([closed, archived])
    expect(await readIds('?status=open,closed')).toEqual([open, taken, closed, archived])
    expect(await readIds(`?service_code=${type}`)).toEqual([taken])
    expect(await readIds(`?service_code=${type}&service_code=other`)).toEqual([open, taken, closed, archived])
    expect(await readIds(`?service_code[]=${type}&service_code%5B%5D=other&status[]=open`)).toEqual([open, taken])
    expect(await readIds(`?service_request_id[]=${open}&service_request_id[]=${taken}`)).toEqual([open, taken])
    expect(await readIds('', `/${organization}`)).toEqual([taken])
    expect(await readIds('?q=lamp')).toEqual([open])
    expect(await readIds(`?${around(FAR_AWAY)}`)).toEqual([closed])
    expect(await readIds(`?lat=${GREEN.lat}&long=${GREEN.lng}&radius=100`)).toEqual([open, taken, archived])
  })

  it('selects 90 days by default, and at most', async () => {
    const recent = await app.create.issue({ created_at: daysAgo(89) })
    const old = await app.create.issue({ created_at: daysAgo(120), updated_at: daysAgo(1) })
    const ancient = await app.create.issue({ created_at: '2020-01-01T12:00:00.700Z' })
    await app.create.issue({ created_at: '2020-05-01T00:00:00Z' })
    await endLog()

    expect(await readIds('')).toEqual([recent])
    expect(await readIds(`?updated_after=${daysAgo(2)}`)).toEqual([old])
    expect(await readIds('?start_date=2020-01-01')).toEqual([ancient])
    expect(await readIds('?end_date=2020-01-01')).toEqual([ancient])
    expect(await readIds('?start_date=2020-01-01T12:00:00Z&end_date=2020-01-01T12:00:00Z')).toEqual([ancient])
    expect(await readIds('?end_date=2020-01-01T11:59:59Z')).toEqual([])
    expect(await readIds('?start_date=2020-01-01T00:00:00Z&end_date=2020-03-31T00:00:00Z')).toEqual([ancient])
    expect((await ask('/requests.json?start_date=2020-01-01T00:00:00Z&end_date=2020-03-31T00:00:01Z')).body).toEqual([
      {
        code: 400,
        description: 'end_date: must not be more than 90 days after start_date: ask for shorter periods one after another',
      },
    ])
  })

  it('returns what changed after a time: also a vote, an archiving, an approval and an import, which leave the time of the update alone', async () => {
    const since = daysAgo(1)
    const times = { created_at: '2020-01-01T00:00:00Z', updated_at: '2020-01-02T00:00:00Z' }
    const [untouched, voted, archived, held, edited] = [
      await app.create.issue(times),
      await app.create.issue(times),
      await app.create.issue({ ...times, status: 'Closed' }),
      await app.create.issue({ ...times, moderation_state: 'held' }),
      await app.create.issue(times),
    ]
    await endLog()
    expect(await readIds(`?updated_after=${since}`)).toEqual([])

    await app.as.user(await app.create.user()).send('POST', `/api/v2/issues/${voted}/vote`)
    await app.db.execute(sql`UPDATE issues SET status = 'Archived' WHERE id = ${archived}`)
    await app.db.execute(sql`UPDATE issues SET moderation_state = 'passed' WHERE id = ${held}`)
    await app.db.execute(sql`UPDATE issues SET updated_at = now() WHERE id = ${edited}`)
    const imported = await app.create.issue(times)

    const changed = [imported, edited, held, archived, voted]
    expect(await readIds(`?updated_after=${since}`)).toEqual(changed)
    expect(await readIds(`?updated_after=${since}&${around(GREEN)}`)).toEqual(changed)
    expect(await readIds(`?updated_after=${since}&updated_before=${since}`)).toEqual([])
    await app.db.execute(sql`SELECT roll_up_issue_cells(1000)`)
    expect(await readIds(`?updated_after=${since}`)).toEqual(changed)
    // After a restore, and at each start of the embedded engine, cursors are refused. Times go on.
    await app.db.execute(sql`SELECT begin_cell_generation(), begin_change_log()`)
    expect(await readIds(`?updated_after=${since}`)).toEqual(changed)
    expect(await readIds(`?updated_before=${since}`)).toEqual([imported, held, archived, voted, untouched])
    // A time before the log selects by the time of the update alone.
    expect(await readIds(`?updated_after=${daysAgo(31)}`)).toEqual([edited])
  })

  it('returns the requests with the ids of a list, whatever the other filters are', async () => {
    const old = await app.create.issue({ created_at: '2020-01-01T00:00:00Z', status: 'Archived' })
    const recent = await app.create.issue({ created_at: daysAgo(1) })
    const held = await app.create.issue({ moderation_state: 'held' })
    const ids = [old, recent, held, 2_000_000_000].join(',')
    const many = Array.from({ length: 1_000 }, (_, n) => n + 1).join(',')

    expect(await readIds(`?service_request_id=${ids}&status=nonsense&page_size=1`)).toEqual([recent, old])
    expect(await readIds(`?service_request_id=${many}`)).toEqual([recent, old])
    expect((await ask(`/requests.json?service_request_id=${many},1001`)).status).toBe(400)
    expect((await ask('/requests.json?service_request_id=1,x')).status).toBe(400)
  })

  it('takes 1,000 ids of ten digits, also percent-encoded, in URLs of up to 14,000 characters', async () => {
    const issue = await app.create.issue({ id: 2_000_000_500, created_at: daysAgo(1) })
    const ids = Array.from({ length: 1_000 }, (_, n) => 2_000_000_000 + n).join(',')
    const plain = await ask(`/requests.json?extensions=true&service_request_id=${ids}`)
    const encoded = await ask(`/requests.xml?service_request_id=${encodeURIComponent(ids)}`)
    const { fastify } = await appOn(app.db)
    const address = await fastify.listen({ host: '127.0.0.1', port: 0 })
    const overHttp = await fetch(`${address}${V2}/requests.json?service_request_id=${encodeURIComponent(ids)}`)
    const tooLong = await ask(`/requests.json?service_request_id=${ids}&ignored=${'x'.repeat(4_000)}`)
    const other = await ask(`/services.json?ignored=${'x'.repeat(8_000)}`)

    expect((plain.body as { service_request_id: string }[]).map((request) => request.service_request_id)).toEqual([String(issue)])
    expect([encoded.status, encoded.text.match(/<request>/g)?.length]).toEqual([200, 1])
    expect([overHttp.status, ((await overHttp.json()) as object[]).length]).toEqual([200, 1])
    expect([tooLong.status, tooLong.body]).toEqual([414, [{ code: 414, description: 'The URL is longer than 14,000 characters.' }]])
    expect([other.status, other.body]).toEqual([414, [{ code: 414, description: 'The URL is longer than 8,000 characters.' }]])
  })

  it('has an updated_datetime that is not before the closing, whatever an import said', async () => {
    const times = { created_at: '2026-11-20T00:00:00Z', updated_at: '2026-11-20T00:00:00Z', closed_at: '2026-11-21T00:00:00Z' }
    for (const status of ['Closed', 'Archived', 'Open'] as const) await app.create.issue({ status, ...times })

    const requests = (await ask('/requests.json')).body as { status_notes: string; updated_datetime: string }[]

    const updated = Object.fromEntries(requests.map(({ status_notes, updated_datetime }) => [status_notes, updated_datetime]))
    expect(updated).toEqual({ Closed: times.closed_at, Archived: times.closed_at, Open: times.updated_at })
  })

  it('pages, with the total and links in headers', async () => {
    for (let n = 1; n <= 5; n++) await app.create.issue({ created_at: daysAgo(n) })

    const { headers } = await ask('/requests.json?page=2&page_size=2&status=open')

    expect(headers['x-total-count']).toBe('5')
    expect(linkOf(headers['link'], 'next')).toBe(`${V2}/requests.json?page=3&page_size=2&status=open`)
    expect(linkOf(headers['link'], 'prev')).toBe(`${V2}/requests.json?page=1&page_size=2&status=open`)
    expect(linkOf(headers['link'], 'last')).toBe(`${V2}/requests.json?page=3&page_size=2&status=open`)
    expect(await readIds('?page=3&page_size=2')).toEqual([5])
    expect(await readIds('?page=4&page_size=2')).toEqual([])
  })

  it.each([
    ['status=pending', 'status: must be a comma-separated list of open, closed'],
    ['service_code=77', 'service_code: contains unknown values: 77'],
    [
      'start_date=yesterday',
      'start_date: must be an ISO 8601 timestamp such as 2026-01-31T00:00:00Z (write the + of an offset as %2B)',
    ],
    ['bbox=1,2,3', 'bbox: must be four numbers, west, south, east and north, such as -105.1,39.6,-104.8,39.9'],
    ['lat=91&long=0&radius=10', 'lat: must be a number from -90 to 90'],
    ['lat=1&long=0', 'radius: is required together with lat, long'],
    ['page=0', 'page: must be an integer from 1 to 2147483647'],
    ['page_size=1001', 'page_size: must be an integer from 1 to 1000'],
    ['page_size=1001&extensions=true', 'page_size: must be an integer from 1 to 1000'],
    ['extensions=maybe', 'extensions: must be true or false'],
    ['q=a&q=b', 'q: must be given only once'],
    ['page_sizes=3', 'page_sizes: did you mean page_size? This operation has no parameter of this name'],
  ])('refuses %s', async (query, description) => {
    const { status, body } = await ask(`/requests.json?${query}`)

    expect([status, body]).toEqual([400, [{ code: 400, description }]])
  })

  it('is validated by ETag, and follows every change', async () => {
    const issue = await app.create.issue({ created_at: daysAgo(1) })
    for (const path of ['/requests.json', '/requests.xml?extensions=true', `/requests/${issue}.json`]) {
      const { headers } = await ask(path)
      const etag = String(headers['etag'])
      expect((await ask(path, { 'if-none-match': etag })).status).toBe(304)

      await app.create.comment({ on: issue, comment: `About ${path}` })
      await app.db.prisma.issue.update({ where: { id: issue }, data: { summary: `Changed ${path}` } })

      const changed = await ask(path, { 'if-none-match': etag })
      expect(changed.status).toBe(200)
      expect(changed.text).toContain(`Changed ${path}`)
    }
  })
})

describe('extensions=true', () => {
  it('adds the history with public comments, and further attributes', async () => {
    const user = await app.create.user({ name: 'Ada Park' })
    const issue = await app.create.issue({
      created_at: '2026-11-01T00:00:00Z',
      status: 'Closed',
      closed_at: '2026-11-03T00:00:00Z',
    })
    const at = (day: number) => new Date(Date.UTC(2026, 10, day))
    await app.db.prisma.statusChange.createMany({
      data: [
        { issue_id: issue, to_status: 'Open', actor_id: user.id, created_at: at(1) },
        { issue_id: issue, from_status: 'Open', to_status: 'Closed', actor_id: user.id, created_at: at(3) },
      ],
    })
    await app.create.comment({ on: issue, by: user, comment: 'Still there.', created_at: '2026-11-02T00:00:00Z' })
    await app.create.comment({ on: issue, by: user, comment: 'Hidden.', moderation_state: 'held' })
    await app.create.vote({ on: issue, by: user })

    const [request] = await readRequests(`?service_request_id=${issue}&extensions=true`)

    expect(request?.notes).toEqual([
      { datetime: '2026-11-01T00:00:00Z', type: 'submitted', description: 'Submitted', media_url: null },
      { datetime: '2026-11-02T00:00:00Z', type: 'comment', description: 'Still there.', media_url: null },
      { datetime: '2026-11-03T00:00:00Z', type: 'closed', description: 'Closed', media_url: null },
    ])
    expect(request?.extended_attributes).toMatchObject({
      status: 'Closed',
      votes: 1,
      comments: 1,
      request_type_id: null,
      photos: [],
      url: `${PUBLIC_URL}/issues/${issue}`,
      closed_datetime: '2026-11-03T00:00:00Z',
    })
    expect(JSON.stringify(request)).not.toContain('Ada')
  })
})
