import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { GREEN } from '../helpers/factories.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { asContent, readXml } from './reader.ts'
import { findViolations, type Root } from './schemas.ts'
import { createWriter } from './writer.ts'

const app = useApp({ keepRows: true })
const { send, post } = createWriter(() => app.as.anonymous)

let employee: TestUser
let codes: string[]
beforeAll(async () => {
  const organization = await app.create.organization()
  employee = await app.create.user({ memberOf: [{ organization }] })
  const type = await app.create.requestType({
    organization,
    questions: [
      { question: 'How deep?', question_type: 'number' },
      { question: 'When?', question_type: 'datetime' },
      { question: 'Which?', question_type: 'multivaluelist', select_values: [{ key: 'a', name: 'A' }] },
      { question: 'Is it dangerous?', question_type: 'boolean' },
      { question: 'A file?', question_type: 'file' },
    ],
  })
  codes = [String(type), 'other']
  await app.create.issue({ request_type: type })
})

const fieldNames = [
  ...['service_code', 'lat', 'long', 'address_string', 'address_id', 'email', 'device_id', 'account_id', 'first_name', 'last_name'],
  ...[
    'phone',
    'description',
    'media_url',
    'media',
    'attribute',
    'attribute[1]',
    'attribute[3][]',
    'attribute[5]',
    'jurisdiction_id',
  ],
  ...['update_id', 'service_request_id', 'status', 'updated_datetime', '__proto__', 'constructor'],
]
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '1',
    'other',
    '91',
    '1e999',
    'NaN',
    'true',
    '\0',
    '\u{D800}',
    'closed',
    'x'.repeat(5_000),
    'a@b.example',
    String(GREEN.lat),
  ),
)
const anyJson = fc.oneof(anyText, fc.jsonValue({ maxDepth: 3 }))
const anyBody = <Value>(value: fc.Arbitrary<Value>) => fc.dictionary(fc.constantFrom(...fieldNames), value, { maxKeys: 8 })
const paths = ['/requests', '/1/requests', '/requests/1', '/servicerequestupdates'] as const

const rootOf = (path: string, status: number): readonly [element: string, schema: Root] => {
  if (status >= 400) return ['errors', 'errors']
  return path === '/servicerequestupdates'
    ? ['service_request_updates', 'service_request_updates_created']
    : ['service_requests', 'created_requests']
}

describe('random bodies', () => {
  const likely = () => ({ service_code: codes[0], lat: GREEN.lat, long: GREEN.lng, description: 'Hole', service_request_id: '1' })

  it.each(['JSON', 'forms'])('of %s never cause a 500, and every answer has the schema', async (kind) => {
    await fc.assert(
      fc.asyncProperty(anyBody(anyJson), fc.constantFrom(...paths), fc.boolean(), async (random, path, isComplete) => {
        const body = { ...(isComplete ? likely() : {}), ...random }
        const asText = Object.fromEntries(
          Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
        )
        const options = { by: employee }
        const { status, body: answer } =
          kind === 'JSON' ? await send(`${path}.json`, body, options) : await post(`${path}.json`, asText, options)

        expect([200, 201, 400, 404]).toContain(status)
        expect(findViolations(rootOf(path, status)[1], answer)).toEqual([])
      }),
      runs(60),
    )
  })

  it('have the same errors in JSON and XML', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody(anyText), fc.constantFrom(...paths), async (random, path) => {
        const fields = { ...random, status: 'unknown', lat: 'x' }
        const [json, xml] = [
          await post(`${path}.json`, fields, { by: employee }),
          await post(`${path}.xml`, fields, { by: employee }),
        ]

        expect(xml.status).toBe(json.status)
        expect(readXml(xml.text)).toEqual({
          root: rootOf(path, json.status)[0],
          content: json.status < 400 ? expect.anything() : asContent(json.body),
        })
      }),
      runs(30),
    )
  })

  it.each(['[1]', '"x"', 'null', '1', '{', ''])('of the JSON %s are 400', async (text) => {
    const { status, body } = await send('/requests.json', text, { by: employee, headers: { 'content-type': 'application/json' } })

    expect(status).toBe(400)
    expect(findViolations('errors', body)).toEqual([])
  })

  it('of another type are 415 in the requested format', async () => {
    const { status, text } = await send('/requests.xml', '<request/>', { by: employee, headers: { 'content-type': 'text/xml' } })

    expect([status, readXml(text).root]).toEqual([415, 'errors'])
  })
})
