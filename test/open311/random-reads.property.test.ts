import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { names } from '../../src/open311/requests/query.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { createCity, ORGANIZATION } from './city.ts'
import { findReadViolations, type ReadRoot } from './read-schemas.ts'
import { asContent, createReader, readXml, V2 } from './reader.ts'
import { listReadRoutes } from './routes.ts'

// An app caches the key that signs tokens, which other files delete.
const app = useApp({ keepRows: true, ownApp: true })
const { ask } = createReader(app)
let city: Awaited<ReturnType<typeof createCity>>
beforeAll(async () => {
  city = await createCity(app)
})

interface Operation {
  readonly resource: string
  /** The schema of a successful response. */
  readonly schema: ReadRoot
  /** The root element of a successful response as XML; undefined for an operation with a format of its own. */
  readonly root?: string
  readonly parameters: readonly string[]
  readonly last?: 'code' | 'id' | 'token'
}

const operations: readonly Operation[] = [
  { resource: 'services', schema: 'services', root: 'services', parameters: ['lat', 'long'] },
  { resource: 'services', last: 'code', schema: 'service_definition', root: 'service_definition', parameters: ['lat', 'long'] },
  { resource: 'requests', schema: 'service_requests', root: 'service_requests', parameters: names },
  { resource: 'requests', last: 'id', schema: 'service_requests', root: 'service_requests', parameters: ['extensions'] },
  { resource: 'tokens', last: 'token', schema: 'tokens', root: 'service_requests', parameters: [] },
  {
    resource: 'servicerequestupdates',
    schema: 'service_request_updates',
    root: 'service_request_updates',
    parameters: ['start_date', 'end_date', 'page', 'page_size'],
  },
  { resource: 'areas.geojson', schema: 'areas', parameters: ['lat', 'long', 'after_id'] },
  { resource: 'bulk/requests.csv', schema: 'errors', parameters: [...names, 'after_id'] },
]

/** Addresses of endpoints, which have the form of discovery. */
const endpoints = [V2, `${V2}/:organization_id`]

/** The first values are valid. */
const values: Readonly<Record<string, readonly string[]>> = {
  service_request_id: ['1', '1,2,3', '999'],
  service_code: ['1', 'other', '1,other', '2'],
  status: ['open', 'closed', 'open,closed', 'Closed'],
  start_date: ['2026-01-01', '2026-11-01T00:00:00Z'],
  end_date: ['2026-11-20', '2026-11-20T23:59:59+02:00'],
  updated_after: ['2020-01-01', '2026-11-01T00:00:00Z'],
  updated_before: ['2027-01-01'],
  bbox: ['-73,41,-72,42', '170,-10,-72.92,42'],
  lat: ['41.3083', '0'],
  long: ['-72.9279', '0'],
  radius: ['1000', '0.5'],
  q: ['hole', 'spaces', 'nothing'],
  page: ['1', '2', '1000'],
  page_size: ['1', '7', '1000'],
  extensions: ['true', 'false', 'TRUE'],
  after_id: ['0', '20'],
}
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '-1',
    '0',
    '1e999',
    'NaN',
    '99999999999',
    '2026-02-30',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    ',',
    '%',
    "'--",
  ),
)
/** Prefers one or two valid parameters, so that many runs succeed. */
const queryOf = (parameters: readonly string[]) => {
  const known = parameters.length > 0 ? fc.constantFrom(...parameters) : fc.constant('jurisdiction_id')
  const pair = fc.oneof(
    {
      weight: 8,
      arbitrary: known.chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(values[name] ?? ['1', ORGANIZATION])))),
    },
    { weight: 1, arbitrary: fc.tuple(known, hostile) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('jurisdiction_id', 'format', 'unknown'), fc.oneof(fc.constant('1'), hostile)),
    },
  )
  return fc.array(pair, { maxLength: 3 })
}

/** A segment that is `.` or ends like a format would be another path. */
const hostileSegment = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => `x${text.toWellFormed()}x`)
const rootOf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', '/1', `/${encodeURIComponent(ORGANIZATION)}`) },
  { weight: 1, arbitrary: fc.oneof(fc.constant('999'), hostileSegment).map((segment) => `/${encodeURIComponent(segment)}`) },
)
const lastOf = (last: Operation['last']) => {
  if (last === undefined) return fc.constant('')
  const valid = {
    code: fc.constantFrom('1', 'other'),
    id: fc.integer({ min: 1, max: 41 }).map(String),
    token: fc.nat({ max: 1 }).map((n) => city.tokens[n] ?? ''),
  }[last]
  return fc
    .oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: hostileSegment })
    .map((segment) => `/${encodeURIComponent(segment)}`)
}

const anyRead = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    root: rootOf,
    last: lastOf(operation.last),
    query: queryOf(operation.parameters).map((pairs) => `?${new URLSearchParams(pairs)}`),
    negotiation: fc.constantFrom('suffix', 'Accept'),
  }),
)

const succeeded = new Set<string>()

/** Reads JSON and XML, which must have the same content, and returns the status. */
async function readBoth(path: string, query: string, bySuffix: boolean, { schema, root = '' }: Operation): Promise<number> {
  const read = (format: 'json' | 'xml') =>
    bySuffix
      ? ask(`${path}.${format}${query}`)
      : ask(`${path}${query}`, { accept: format === 'json' ? 'application/json' : 'text/xml' })
  const [json, xml] = [await read('json'), await read('xml')]
  const body: unknown = JSON.parse(json.text)
  const isOk = json.status === 200
  expect([xml.status, json.headers['content-type'], xml.headers['content-type']]).toEqual([
    json.status,
    'application/json; charset=utf-8',
    'text/xml; charset=utf-8',
  ])
  expect(findReadViolations(isOk ? schema : 'errors', body)).toEqual([])
  if (isOk && schema === 'service_requests' && /[?&]extensions=true/i.test(query))
    expect(findReadViolations('extensions', body)).toEqual([])
  expect(readXml(xml.text)).toEqual({ root: isOk ? root : 'errors', content: asContent(body) })
  return json.status
}

/** Reads a file, and returns the status. */
async function readFile(path: string, query: string, { schema }: Operation): Promise<number> {
  const { status, text, headers } = await ask(`${path}${query}`)
  if (status === 200 && path.endsWith('.csv')) {
    const rows = parse(text)
    expect(rows[0]?.slice(0, 3)).toEqual(['service_request_id', 'requested_datetime', 'updated_datetime'])
    expect(headers['x-total-count']).toBe(String(rows.length - 1))
    expect(rows.every((row) => row.length === 14)).toBe(true)
  } else expect(findReadViolations(status === 200 ? schema : 'errors', JSON.parse(text))).toEqual([])
  return status
}

describe('random reads', () => {
  it('have responses that the schemas of GeoReport v2 allow, the same as JSON and XML, and never fail', async () => {
    await fc.assert(
      fc.asyncProperty(anyRead, async ({ operation, root, last, query, negotiation }) => {
        const path = `${root}/${operation.resource}${last}`
        const status = operation.root
          ? await readBoth(path, query, negotiation === 'suffix', operation)
          : await readFile(path, query, operation)
        expect([200, 400, 404]).toContain(status)
        if (status === 200)
          succeeded.add(
            `${root === '' ? '' : '/:organization_id'}/${operation.resource}${operation.last ? `/:${operation.last}` : ''}`,
          )
      }),
      runs(300),
    )
  }, 900_000)

  it('have succeeded for each operation', () => {
    const operationOf = (route: string) =>
      route.slice(V2.length).replace(/(services|requests|servicerequestupdates)\.(json|xml)$/, '$1')
    const expected = listReadRoutes(app.fastify)
      .filter((route) => route.startsWith(`${V2}/`) && !endpoints.includes(route))
      .map(operationOf)

    expect([...succeeded].sort()).toEqual([...new Set(expected)].sort())
  })

  it.each(['/open311/discovery', V2, `${V2}/1`])('include discovery at %s', async (path) => {
    const [json, xml] = [
      await app.as.anonymous.send('GET', path, { headers: { accept: 'application/json' } }),
      await app.as.anonymous.send('GET', path, { headers: { accept: 'text/xml' } }),
    ]

    expect(findReadViolations('discovery', json.body)).toEqual([])
    expect(readXml(xml.text)).toEqual({ root: 'discovery', content: asContent(json.body) })
  })
})
