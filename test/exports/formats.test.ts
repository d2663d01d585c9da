import { beforeEach, describe, expect, it } from 'vitest'
import { gunzipSync } from 'node:zlib'

import { childrenOf, type Element, parseXml, textOf } from '../feeds/xml.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const at = (path: string) => `${PUBLIC_URL}${path}`
const exact = { lng: -72.92790000000001, lat: 41.308300000000003 }
const LICENCE = 'CC BY-NC-SA 3.0 US, https://creativecommons.org/licenses/by-nc-sa/3.0/us/'
const ATTRIBUTION = `Fixpoint, ${PUBLIC_URL}/`
const names = [
  ...['id', 'status', 'summary', 'description', 'rating', 'address', 'request_type', 'reporter', 'created_at', 'updated_at'],
  ...['acknowledged_at', 'closed_at', 'reopened_at', 'html_url', 'url', 'image_full', 'representative_image_url', 'rating_count'],
  ...['request_type_id', 'organization', 'place_url_name', 'category', 'reporter_id', 'assignee_id', 'video_url'],
  ...['organization_id', 'comment_count', 'vote_count', 'archived_at', 'source', 'outcome'],
]
const csvNames = [...names, 'lng', 'lat']
const integers = [
  ...['id', 'rating_count', 'request_type_id', 'reporter_id', 'assignee_id', 'organization_id', 'comment_count', 'vote_count'],
]
let [first, second, pothole, works, ada, ben] = [0, 0, 0, 0, 0, 0]

beforeEach(async () => {
  await app.create.place({ url_name: 'new-haven', around: exact, size: 0.1 })
  works = await app.create.organization({ name: 'Public Works' })
  pothole = await app.create.requestType({ title: 'Pothole', organization: works })
  const [reporter, assignee] = [await app.create.user({ name: 'Ada Park' }), await app.create.user({ name: 'Ben Stone' })]
  ada = reporter.id
  ben = assignee.id
  first = await app.create.issue({
    at: exact,
    summary: 'Hole <b>& "deep"',
    description: '=1+1, two\nlines',
    request_type: pothole,
    category: 'pothole',
    video_url: 'https://youtu.be/abcdefghijk',
    source: 'web',
    base_rating: 0,
    reporter,
    assignee,
  })
  second = await app.create.issue({
    at: { lng: 106, lat: -41.25 },
    summary: 'Lamp',
    address: '',
    status: 'Archived',
    base_rating: 6,
    import_key: 'office-files:7',
    closed_at: '2026-02-01T10:00:00Z',
    outcome: 'passed_on',
  })
  await app.create.comment({ on: first })
  await app.create.comment({ on: first, moderation_state: 'held' })
  await app.create.vote({ on: first, by: assignee })
  const archived = { from_status: 'Closed', to_status: 'Archived', created_at: '2026-02-08T10:00:00Z' } as const
  await app.db.prisma.statusChange.create({ data: { issue_id: second, ...archived } })
})

const download = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.as.anonymous.send('GET', path, { headers })
  expect(response.status, response.text).toBe(200)
  return response
}

const valuesOfFirst = () => [
  ...[first, 'Open', 'Hole <b>& "deep"', '=1+1, two\nlines', '1', null, 'Pothole', 'Ada Park'],
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', null, null, null, at(`/issues/${first}`), at(`/api/v2/issues/${first}`)],
  ...[null, at('/files/icons/pothole.svg'), 1, pothole, 'Public Works', 'new-haven'],
  ...['pothole', ada, ben, 'https://youtu.be/abcdefghijk', works, 1, 1, null, 'web', null],
]
const valuesOfSecond = () => [
  ...[second, 'Archived', 'Lamp', null, '6', '', null, 'An anonymous user', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ...[null, '2026-02-01T10:00:00Z', null, at(`/issues/${second}`), at(`/api/v2/issues/${second}`), null],
  ...[
    at('/files/icons/other.svg'),
    6,
    null,
    null,
    null,
    'other',
    null,
    null,
    null,
    null,
    0,
    0,
    '2026-02-08T10:00:00Z',
    'import',
    'passed_on',
  ],
]
const featureOf = (id: number, point: { lng: number; lat: number }, values: unknown[]) => ({
  type: 'Feature',
  id,
  geometry: { type: 'Point', coordinates: [point.lng, point.lat] },
  properties: Object.fromEntries(names.map((name, position) => [name, values[position]])),
})
const features = () => [featureOf(first, exact, valuesOfFirst()), featureOf(second, { lng: 106, lat: -41.25 }, valuesOfSecond())]

describe('GET /exports/issues.{format}', () => {
  it('returns one GeoJSON FeatureCollection with licence and attribution', async () => {
    const { text } = await download('/exports/issues.geojson')

    expect(JSON.parse(text)).toEqual({
      ...{ type: 'FeatureCollection', name: 'issues', title: 'Issues everywhere' },
      ...{ licence: LICENCE, attribution: ATTRIBUTION, features: features(), numberMatched: 2, numberReturned: 2 },
    })
  })

  it('returns one feature per line, of which the first has licence and attribution', async () => {
    const { text, headers } = await download('/exports/issues.geojsonl')

    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(features().map((feature, n) => (n === 0 ? { ...feature, licence: LICENCE, attribution: ATTRIBUTION } : feature)))
  })

  it('returns CSV with the same columns and the coordinates, safe against formulas', async () => {
    const { text, headers } = await download('/exports/issues.csv')

    const [ofFirst, ofSecond] = [valuesOfFirst(), valuesOfSecond()].map((values) => values.map((value) => value ?? ''))
    const line = [...(ofFirst?.slice(0, 2) ?? []), '"Hole <b>& ""deep"""', '"\'=1+1, two\nlines"', ...(ofFirst?.slice(4) ?? [])]
    const empty = [...(ofSecond?.slice(0, 5) ?? []), '""', ...(ofSecond?.slice(6) ?? [])]
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(text).toBe(
      [csvNames, [...line, exact.lng, exact.lat], [...empty, 106, -41.25], []].map((cells) => cells.join()).join('\r\n'),
    )
  })

  it('returns GPX with longitude 180 as -180, because its longitudes are below 180', async () => {
    await app.create.issue({ at: { lng: 180, lat: -16.8 } })

    const { text } = await download('/exports/issues.gpx')

    expect(text).toContain('<wpt lat="-16.8" lon="-180">')
  })

  it('returns GPX 1.1 with a waypoint for each issue', async () => {
    const { text } = await download('/exports/issues.gpx')

    const gpx = parseXml(text)
    const GPX = 'http://www.topografix.com/GPX/1/1'
    const [metadata] = childrenOf(gpx, 'metadata', GPX)
    const points = childrenOf(gpx, 'wpt', GPX)
    const shown = points.map(({ attributes, children }) => [
      attributes,
      ...children.map(({ name, text: value, attributes: own }) => [name, own['href'] ?? value]),
    ])
    expect([gpx.name, gpx.uri, textOf(metadata as Element, 'desc', GPX)]).toEqual(['gpx', GPX, `${LICENCE}. ${ATTRIBUTION}`])
    expect(shown).toEqual([
      [
        { lat: String(exact.lat), lon: String(exact.lng) },
        ['time', '2026-01-01T00:00:00Z'],
        ['name', 'Hole <b>& "deep"'],
        ['desc', '=1+1, two\nlines'],
        ['link', at(`/issues/${first}`)],
        ['type', 'Open'],
      ],
      [
        { lat: '-41.25', lon: '106' },
        ['time', '2026-01-01T00:00:00Z'],
        ['name', 'Lamp'],
        ['link', at(`/issues/${second}`)],
        ['type', 'Archived'],
      ],
    ])
  })

  it('returns KML 2.2 with typed columns', async () => {
    const { text } = await download('/exports/issues.kml')

    const KML = 'http://www.opengis.net/kml/2.2'
    const [document] = childrenOf(parseXml(text), 'Document', KML)
    const [schema] = childrenOf(document as Element, 'Schema', KML)
    const [hole] = childrenOf(document as Element, 'Placemark', KML)
    const fields = schema?.children.map(({ attributes }) => [attributes['name'], attributes['type']])
    expect(textOf(document as Element, 'description', KML)).toBe(`${LICENCE}. ${ATTRIBUTION}`)
    expect(fields).toEqual(names.map((name) => [name, integers.includes(name) ? 'int' : 'string']))
    expect(textOf(hole as Element, 'name', KML)).toBe('Hole <b>& "deep"')
    const [point] = childrenOf(hole as Element, 'Point', KML)
    expect(textOf(point as Element, 'coordinates', KML)).toBe(`${exact.lng},${exact.lat}`)
    const [data] = childrenOf(hole as Element, 'ExtendedData', KML)
    const shown = data?.children[0]?.children.map(({ attributes, text: value }) => [attributes['name'], value])
    const present = names.map((name, position) => [name, valuesOfFirst()[position]]).filter(([, value]) => value !== null)
    expect(shown).toEqual(present.map(([name, value]) => [name, String(value)]))
  })

  it('escapes the description of KML twice, because programs show it as HTML', async () => {
    await app.create.issue({ description: '<img src=x>' })

    const { text } = await download('/exports/issues.kml')

    expect(text).toContain('<description>&amp;lt;img src=x&amp;gt;</description>')
  })

  it('replaces characters that XML forbids', async () => {
    await app.create.issue({ summary: 'bell \u0007', description: 'half' })

    const [gpx, kml] = [await download('/exports/issues.gpx'), await download('/exports/issues.kml')]

    for (const { text } of [gpx, kml]) {
      expect(text).toContain('bell \uFFFD')
      expect(parseXml(text).children.length).toBeGreaterThan(0)
    }
  })

  it.each(['issues', 'places'])('begins CSV of %s with a byte order mark only if bom=true', async (layer) => {
    const [marked, unmarked, json] = [
      await download(`/exports/${layer}.csv?bom=true`),
      await download(`/exports/${layer}.csv?bom=false`),
      await download(`/exports/${layer}.geojson?bom=true`),
    ]

    expect(marked.text).toBe(`\uFEFF${unmarked.text}`)
    expect([unmarked.text.slice(0, 3), json.text.slice(0, 1)]).toEqual(['id,', '{'])
  })

  it('names file, rows, snapshot, licence and author in its headers', async () => {
    const { headers } = await download('/exports/issues.csv?place_url=new-haven')

    const today = app.services.clock().toISOString().slice(0, 10)
    expect(headers).toMatchObject({
      'x-total-count': '1',
      'x-changes-cursor': expect.stringMatching(/^[\w-]{8,}$/) as string,
      'content-disposition': `attachment; filename="issues-new-haven-${today}.csv"`,
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'content-length': expect.stringMatching(/^\d+$/) as string,
      link: `<https://creativecommons.org/licenses/by-nc-sa/3.0/us/>; rel="license", <${at('/')}>; rel="author"; title="Fixpoint"`,
      vary: 'Authorization, Cookie, Accept-Encoding',
    })
  })

  it('returns the rows after an id, and none after the last one', async () => {
    const [rest, none] = [
      await download(`/exports/issues.geojson?after_id=${first}`),
      await download(`/exports/issues.csv?after_id=${second}`),
    ]

    expect((JSON.parse(rest.text) as { features: { id: number }[] }).features.map(({ id }) => id)).toEqual([second])
    expect([none.headers['x-total-count'], none.text.trim().split('\r\n')]).toEqual(['0', [csvNames.join()]])
  })

  it('is valid GeoJSON without rows', async () => {
    const { text } = await download('/exports/issues.geojson?min_lat=1&min_lng=2&max_lat=3&max_lng=4')

    expect(JSON.parse(text)).toMatchObject({ features: [], numberMatched: 0, numberReturned: 0 })
  })

  it('is compressed with gzip for clients that accept it', async () => {
    const request = { method: 'GET', url: '/exports/issues.csv' } as const
    const plain = await app.fastify.inject(request)
    const zipped = await app.fastify.inject({ ...request, headers: { 'accept-encoding': 'br, gzip' } })

    expect([zipped.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['gzip', undefined])
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.payload)
  })

  it('returns 404 with the formats for another one, and 422 for wrong parameters', async () => {
    const [unknown, noPlace, typo, wrongId] = await Promise.all(
      ['issues.xls', 'issues.csv?place_url=nowhere', 'issues.csv?place=new-haven', 'issues.csv?after_id=-1'].map((path) =>
        app.as.anonymous.send('GET', `/exports/${path}`),
      ),
    )

    expect(unknown).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('geojson, geojsonl, csv, gpx, kml, fgb, parquet, gpkg') as string },
    })
    expect(noPlace).toMatchObject({ status: 422, body: { place_url: expect.any(String) as string } })
    expect(typo).toMatchObject({ status: 422, body: { place: expect.stringContaining('place_url') as string } })
    expect(wrongId).toMatchObject({ status: 422, body: { after_id: expect.any(String) as string } })
  })
})
