import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import type { Reference } from '../../contract/openapi-responses.ts'
import { stopTimers } from '../../helpers/stopped-timers.ts'
import { useApp } from '../../helpers/use-app.ts'
import { runs } from '../../helpers/long.ts'

const app = useApp({ keepRows: true })
stopTimers()

interface Parameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
  readonly schema: {
    readonly examples?: readonly unknown[]
    readonly enum?: readonly unknown[]
    readonly items?: { enum?: readonly string[] }
  }
}
interface Operation {
  readonly path: string
  readonly parameters: readonly Parameter[]
}

let operations: Operation[]
const pages = [
  '/',
  '/places',
  '/places/{id}',
  '/places/{id}/report',
  '/issues/{id}',
  '/i/{id}',
  '/files/icons/{id}',
  '/docs/static/{id}',
]

beforeAll(async () => {
  const ada = await app.create.user({ share_location: true })
  await app.create.place({ url_name: 'denver' })
  await app.create.watchArea({ of: ada, token: 'the-token-of-a-watch-area' })
  const request_type = await app.create.requestType()
  for (let n = 0; n < 20; n++) {
    const issue = await app.create.issue({ reporter: ada, request_type, summary: `Pothole no. ${n}` })
    await app.create.comment({ on: issue, by: ada })
  }
  const { paths } = app.fastify.swagger() as unknown as Reference
  const apiRequests = Object.entries(paths).flatMap(([path, { get }]) => {
    return get ? [{ path, parameters: (get as unknown as { parameters: Parameter[] }).parameters }] : []
  })
  // Pages accept some parameters of the lists and ignore the others.
  const parameters = apiRequests.find(({ path }) => path.endsWith('/issues'))?.parameters ?? []
  const id: Parameter = { name: 'id', in: 'path', example: 'denver', schema: {} }
  operations = [...apiRequests, ...pages.map((path) => ({ path, parameters: [id, ...parameters] }))]
})

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-0',
    '-1',
    '1e3',
    '1e999',
    '-1e-7',
    '.5',
    '5.',
    '0x1F',
    'NaN',
    'null',
    'undefined',
    'true',
    '%',
    '\0',
    "';--",
    '[]',
    ',',
    ',,1',
  ),
  fc.constantFrom(
    '9'.repeat(16),
    '2147483648',
    '-2147483649',
    '9'.repeat(400),
    '180.0000001',
    '90',
    '-180',
    '1,2,3',
    'open,Open,OPEN',
    '\u{1F3D9}',
    '\ud800',
  ),
  fc.constantFrom(
    '0000-00-00',
    '2026-02-30',
    '9999-12-31T23:59:59.999999999+15:59',
    '0001-01-01T00:00:00-15:59',
    '2026-01-31T00:00:00,5Z',
    '24:00',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc
    .array(fc.oneof(fc.nat().map(String), fc.constantFrom('other', 'unassigned', 'open')), { maxLength: 120 })
    .map((parts) => parts.join(',')),
)

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function rightFor({ example, schema }: Parameter): fc.Arbitrary<string> {
  const shown = [example, ...(schema.examples ?? []), ...(schema.enum ?? []), ...(schema.items?.enum ?? [])]
  const near = fc.double({ min: -90, max: 90, noNaN: true }).map(String)
  return fc.oneof(
    { arbitrary: fc.constantFrom(...shown.filter((one) => one !== undefined).map(String)), weight: 5 },
    { arbitrary: typeof (example ?? schema.examples?.[0]) === 'number' ? near : fc.constant(''), weight: 1 },
  )
}

/** Generates URLs: half are valid as far as possible, the others are random. */
function urlOf({ path, parameters }: Operation): fc.Arbitrary<string> {
  const inPath = parameters.filter((one) => one.in === 'path')
  const inQuery = parameters.filter((one) => one.in === 'query')
  const addresses = (valueOf: (one: Parameter) => fc.Arbitrary<string>, others: fc.Arbitrary<string>[]) => {
    const segments = fc.tuple(...inPath.map((one) => fc.oneof(fc.integer({ min: 1, max: 25 }).map(String), valueOf(one))))
    const known = inQuery.map((one) => valueOf(one).map((value) => `${encoded(one.name)}=${encoded(value)}`))
    const query = fc.array(fc.oneof(...known, ...known, ...others), { maxLength: 6 })
    return fc.tuple(segments, query).map(([values, parts]) => {
      const filled = inPath.reduce((text, { name }, n) => text.replace(`{${name}}`, encoded(values[n] ?? '')), path)
      return parts.length > 0 ? `${filled}?${parts.join('&')}` : filled
    })
  }
  const unknown = fc.tuple(odd, odd).map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return fc.oneof(
    addresses(rightFor, [fc.constant('x=y')]),
    addresses((one) => fc.oneof(rightFor(one), odd), [unknown, fc.constantFrom('&&', '=', '%zz=%', 'a[b]=c')]),
  )
}

const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 60 })
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-language',
    'if-none-match',
    'if-modified-since',
    'authorization',
    'cookie',
    'origin',
    'range',
    'x-forwarded-for',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom('*', '*/*', 'text/html', 'W/"a"', '"', 'Basic Og==', 'Bearer x', 'Fri, 20 Nov 2026 09:30:00 GMT', 'bytes=0-1'),
  ),
  { maxKeys: 2 },
)

describe('random read requests', () => {
  it('are answered as documented and never with 500', async () => {
    const lists = operations.filter(({ path }) => path.endsWith('/issues'))
    const operation = fc.oneof(fc.constantFrom(...lists), fc.constantFrom(...operations))
    const request = fc.record({ url: operation.chain(urlOf), headers })

    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 100, maxLength: 100 }), async (requests) => {
        // The test client throws if a response is not as documented.
        const answers = await Promise.all(
          requests.map(async ({ url, headers: sentHeaders }) => ({
            url,
            ...(await app.as.anonymous.send('GET', url, { headers: sentHeaders })),
          })),
        )
        expect(answers.filter(({ status }) => status >= 500).map(({ url, status }) => [status, url])).toEqual([])
      }),
      runs(15),
    )
  })
})
