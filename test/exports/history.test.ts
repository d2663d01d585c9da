import { beforeEach, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const ITEMS = '/ogc/collections/history/items'
const both = ['/exports/history.geojson', ITEMS] as const

interface Change {
  readonly id: number
  readonly geometry: { readonly coordinates: readonly number[] }
  readonly properties: Readonly<Record<string, string | number | null>>
}

let [ada, vera] = [{} as TestUser, {} as TestUser]

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
  vera = await app.create.user({ name: 'Vera Lee', role: 'VerifiedOfficial' })
})

const move = (user: TestUser, issue: number, name: 'close' | 'open' | 'acknowledge') =>
  app.as.user(user).send('POST', `/api/v2/issues/${issue}/${name}`, { body: { comment: `Now ${name}.` } })

interface Row {
  readonly issue_id: number
  readonly from_status?: 'Open' | 'Acknowledged' | 'Closed' | null
  readonly to_status?: 'Open' | 'Acknowledged' | 'Closed' | 'Archived'
  readonly actor_id?: number
  readonly comment_id?: number
  readonly created_at?: string
}
const addChange = async (row: Row) =>
  (await app.db.prisma.statusChange.create({ data: { from_status: 'Open', to_status: 'Closed', ...row } })).id

const read = async (path: string) => {
  const { status, text } = await app.as.anonymous.send('GET', path)
  expect([status, text]).toEqual([200, text])
  return (JSON.parse(text) as { features: readonly Change[] }).features
}
const idsOf = async (path: string) => (await read(path)).map(({ id }) => id)

describe('the history of states', () => {
  it.each(both)('has each change of the status with its issue, point, time and role, and no creation: %s', async (path) => {
    const issue = await app.create.issue({ at: GREEN, reporter: ada })
    await addChange({ issue_id: issue, from_status: null, to_status: 'Open', actor_id: ada.id })
    await move(ada, issue, 'close')
    await move(ada, issue, 'open')
    await addChange({ issue_id: issue, from_status: 'Closed', to_status: 'Archived', created_at: '2026-02-08T10:00:00Z' })

    const changes = await read(path)

    const times = await app.db.prisma.statusChange.findMany({ orderBy: { id: 'asc' } })
    const at = (n: number) => `${times[n]?.created_at.toISOString().slice(0, 19)}Z`
    const change = { issue_id: issue, actor_role: 'resident' }
    expect(changes).toMatchObject([
      { type: 'Feature', id: 2, geometry: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] } },
      { id: 3 },
      { id: 4 },
    ])
    expect(changes.map(({ properties }) => properties)).toEqual([
      { id: 2, ...change, from_status: 'Open', to_status: 'Closed', at: at(1), outcome: 'reported_fixed' },
      { id: 3, ...change, from_status: 'Closed', to_status: 'Open', at: at(2), outcome: null },
      {
        id: 4,
        ...change,
        from_status: 'Closed',
        to_status: 'Archived',
        at: '2026-02-08T10:00:00Z',
        actor_role: 'system',
        outcome: null,
      },
    ])
  })

  it.each(both)('has neither held nor rejected issues, nor moves that are pending review: %s', async (path) => {
    const held = await app.create.issue({ moderation_state: 'held', reporter: ada })
    const rejected = await app.create.issue({ moderation_state: 'rejected', reporter: ada })
    await addChange({ issue_id: held })
    await addChange({ issue_id: rejected })
    const issue = await app.create.issue({ reporter: ada })
    const pending = await app.as.user(ada).send('POST', `/api/v2/issues/${issue}/close`, {
      body: { comment: 'https://a.test https://b.test https://c.test https://d.test https://e.test https://f.test' },
    })

    expect(pending.status).toBe(202)
    expect(await read(path)).toEqual([])
  })

  it.each(both)('names the role that the page of the issue shows, and none that it does not show: %s', async (path) => {
    const anonymous = await app.create.issue({ reporter: vera, anonymous: true })
    const community = await app.create.issue({ reporter: ada, anonymous: true })
    const visible = await app.create.comment({ on: community, by: ada })
    const hidden = await app.create.comment({ on: community, by: ada, moderation_state: 'rejected' })
    const withoutAuthor = await app.create.comment({ on: community })
    const organization = await app.create.organization({})
    const member = await app.create.user({ memberOf: [{ organization }] })
    await addChange({ issue_id: anonymous, actor_id: vera.id })
    await addChange({ issue_id: community, actor_id: ada.id, comment_id: visible })
    await addChange({ issue_id: community, actor_id: ada.id, comment_id: hidden })
    await addChange({ issue_id: community, comment_id: withoutAuthor })
    await addChange({ issue_id: community, actor_id: ada.id, from_status: 'Closed', to_status: 'Open' })
    await addChange({ issue_id: community, actor_id: member.id, to_status: 'Acknowledged' })
    await addChange({ issue_id: community, from_status: 'Acknowledged', actor_id: ada.id, comment_id: hidden })
    await addChange({ issue_id: community })

    const roles = (await read(path)).map(({ properties }) => properties['actor_role'])

    expect(roles).toEqual(['employee', 'resident', null, null, 'employee', 'employee', 'employee', null])
  })

  it('has the same columns in every format', async () => {
    const issue = await app.create.issue({ at: GREEN })
    await addChange({ issue_id: issue, created_at: '2026-02-01T10:00:00Z', actor_id: ada.id })
    const text = async (format: string) => (await app.as.anonymous.send('GET', `/exports/history.${format}`)).text

    const [csv, kml, gpx, lines] = await Promise.all(['csv', 'kml'].map(text)).then(async (first) => [
      ...first,
      await text('gpx'),
      await text('geojsonl'),
    ])

    const [values] = await read('/exports/history.geojson')
    expect(csv).toBe(
      `id,issue_id,from_status,to_status,at,actor_role,outcome,lng,lat\r\n1,${issue},Open,Closed,2026-02-01T10:00:00Z,employee,,${GREEN.lng},${GREEN.lat}\r\n`,
    )
    expect(JSON.parse(lines?.split('\n')[0] ?? '')).toMatchObject(values ?? {})
    expect(kml).toContain('<name>Closed</name><TimeStamp><when>2026-02-01T10:00:00Z</when></TimeStamp>')
    expect(gpx).toContain('<time>2026-02-01T10:00:00Z</time><name>Closed</name><type>Closed</type></wpt>')
  })

  it.each(['fgb', 'gpkg', 'parquet'])('is a file of points for programs: %s', async (format) => {
    await addChange({ issue_id: await app.create.issue({}) })

    const { status, headers } = await app.as.anonymous.send('GET', `/exports/history.${format}`)

    expect([status, headers['x-total-count']]).toEqual([200, '1'])
    expect(headers['content-disposition']).toMatch(new RegExp(`^attachment; filename="history-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`))
  })

  it.each(both)('is selected by the issues, and by the time of the change: %s', async (path) => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.1 })
    const type = await app.create.requestType({ title: 'Lamp' })
    const near = await app.create.issue({ at: GREEN, status: 'Closed', created_at: '2026-01-01T00:00:00Z' })
    const far = await app.create.issue({ at: FAR_AWAY, status: 'Acknowledged', request_type: type, category: 'pothole' })
    const first = await addChange({ issue_id: near, created_at: '2026-02-01T10:00:00Z' })
    const second = await addChange({ issue_id: far, created_at: '2026-02-02T10:00:00Z', to_status: 'Acknowledged' })
    const query = (text: string) => idsOf(`${path}?${text}`)

    expect(await query('place_url=green')).toEqual([first])
    expect(await query(`min_lat=${GREEN.lat}&min_lng=${GREEN.lng}&max_lat=${GREEN.lat}&max_lng=${GREEN.lng}`)).toEqual([first])
    expect(await query('status=acknowledged')).toEqual([second])
    expect(await query(`request_types=${type}`)).toEqual([second])
    expect(await query('category=pothole')).toEqual([second])
    expect(await query('after=2026-02-01T10:00:01Z')).toEqual([second])
    expect(await query('before=2026-02-02T10:00:00Z')).toEqual([first])
    expect(await query(`filter=${encodeURIComponent("to_status = 'Closed' AND at < TIMESTAMP('2026-02-02T00:00:00Z')")}`)).toEqual([
      first,
    ])
    expect(await query(`filter=${encodeURIComponent(`issue_id = ${far}`)}`)).toEqual([second])
  })

  it('continues after an id', async () => {
    const issue = await app.create.issue({})
    const first = await addChange({ issue_id: issue })
    const second = await addChange({ issue_id: issue })

    expect(await idsOf(`/exports/history.geojson?after_id=${first}`)).toEqual([second])
  })

  it.each([
    ['after=yesterday', { after: expect.any(String) as string }],
    ['place_url=nowhere', { place_url: expect.any(String) as string }],
    ['min_lat=1', { min_lng: expect.any(String) as string }],
    ['status=gone', { status: expect.any(String) as string }],
    ['filter=rating_count%20%3D%201', { filter: expect.stringContaining('rating_count') as string }],
  ])('refuses %s', async (query, errors) => {
    const { status, text } = await app.as.anonymous.send('GET', `/exports/history.csv?${query}`)

    expect([status, JSON.parse(text)]).toMatchObject([422, errors])
  })
})

describe('GET /ogc/collections/history/items', () => {
  it('selects by datetime, values and box, and pages in the order of time', async () => {
    const [near, far] = [await app.create.issue({ at: GREEN }), await app.create.issue({ at: FAR_AWAY })]
    const late = await addChange({ issue_id: near, created_at: '2026-02-03T10:00:00Z' })
    const early = await addChange({ issue_id: near, created_at: '2026-02-01T10:00:00Z' })
    const middle = await addChange({ issue_id: far, created_at: '2026-02-02T10:00:00Z', to_status: 'Acknowledged' })
    const page = (await app.as.anonymous.send('GET', `${ITEMS}?sortby=-at&limit=1`)).text
    const { links } = JSON.parse(page) as { links: readonly { rel: string; href: string }[] }
    const next = links.find(({ rel }) => rel === 'next')?.href ?? ''

    expect(await idsOf(`${ITEMS}?datetime=2026-02-01/2026-02-02&sortby=at`)).toEqual([early, middle])
    expect(await idsOf(`${ITEMS}?to_status=Acknowledged`)).toEqual([middle])
    expect(await idsOf(`${ITEMS}?bbox=${GREEN.lng},${GREEN.lat},${GREEN.lng},${GREEN.lat}`)).toEqual([late, early])
    expect(JSON.parse(page)).toMatchObject({ numberMatched: 3, features: [{ id: late }] })
    expect(await idsOf(next.replace(/^http:\/\/[^/]+/, ''))).toEqual([middle])
  })

  it('shows one change, and no change of an issue that is not public', async () => {
    const [shown, held] = [await app.create.issue({}), await app.create.issue({ moderation_state: 'held' })]
    const change = await addChange({ issue_id: shown })
    const hidden = await addChange({ issue_id: held })

    const one = await app.as.anonymous.send('GET', `${ITEMS}/${change}`)
    const other = await app.as.anonymous.send('GET', `${ITEMS}/${hidden}`)

    expect([one.status, JSON.parse(one.text)]).toMatchObject([200, { id: change, properties: { issue_id: shown } }])
    expect(other.status).toBe(404)
  })
})
