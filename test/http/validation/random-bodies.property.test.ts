import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { toExample, type ExampleSchema } from '../../../src/http/openapi/request-bodies.ts'
import { hashToken, newSecret } from '../../../src/http/identity/credentials.ts'
import { addSession } from '../../../src/http/identity/session-queries.ts'
import type { Reference } from '../../contract/openapi-responses.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { pngBomb } from '../../helpers/images.ts'
import { runs } from '../../helpers/long.ts'
import { stopTimers } from '../../helpers/stopped-timers.ts'
import { useApp } from '../../helpers/use-app.ts'
import { PUBLIC_URL } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true })
stopTimers()

/** `npm run test:long` has twenty times as many. */
const AT_ONCE = 15
const MAX_MS = 3_600_000

interface Operation {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  /** Documented body; pages accept the fields of all operations. */
  readonly example: Readonly<Record<string, unknown>>
}

let operations: Operation[]
let people: TestUser[]

/** Returns every POST and PUT from the printed tree of the router, which has four columns for each level. */
function writing(): string[] {
  const above: string[] = []
  const routes: string[] = []
  for (const line of app.fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^(.*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    above.splice(indent.length / 4, Infinity, part)
    const writes = methods.split(', ').filter((method) => method === 'POST' || method === 'PUT')
    routes.push(...writes.map((method) => `${method} ${above.join('')}`))
  }
  return [...new Set(routes)].sort()
}

beforeAll(async () => {
  const request_type = await app.create.requestType({
    questions: [
      { built_in: 'summary', question: 'What?', question_type: 'text' },
      { built_in: 'issue_image', question: 'Picture?', question_type: 'file' },
    ],
  })
  people = [await app.create.user(), await app.create.user({ role: 'Admin' })]
  await app.create.place({ url_name: 'denver' })
  await app.create.issue({ request_type })
  const { paths, components } = app.fastify.swagger() as unknown as Reference & { paths: Record<string, Record<string, Described>> }
  const schemas = components.schemas as Readonly<Record<string, ExampleSchema>>
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    (['post', 'put'] as const).flatMap((method) => {
      const schema = methods[method]?.requestBody?.content['application/json']?.schema
      if (!methods[method]) return []
      const whole = schema?.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
      const example = Object.fromEntries(
        Object.entries(whole?.properties ?? {}).map(([name, property]) => [name, toExample(property)]),
      )
      return [{ method: method.toUpperCase() as Operation['method'], path: path.replaceAll(/\{(\w+)\}/g, ':$1'), example }]
    }),
  )
  const every = Object.assign({}, ...documented.map(({ example }) => example)) as Operation['example']
  operations = writing().map((route) => {
    const [method = 'POST', path = ''] = route.split(' ') as [Operation['method'], string]
    return documented.find((one) => one.method === method && one.path === path) ?? { method, path, example: every }
  })
})

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: ExampleSchema }>> }
}

const strange = fc.oneof(
  fc.constantFrom<unknown>({ toString: 1 }, { valueOf: null }, ['true'], 'cut \ud83d', '\udc00x', ['\ud800'], { a: '\ud800' }),
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 2 ** 53, [], {}, [[]], [null], { a: { b: { c: [] } } }),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\u{1F3D9}',
    'x'.repeat(5_000),
    '2147483648',
    '1e5',
    'NaN',
    "';--",
    '../../x',
  ),
  fc.constantFrom<unknown>(
    'ada@example.org',
    'ada@[::1]',
    '@',
    'other',
    '1',
    'true',
    '2026-13-01',
    'https://example.org',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Generates the documented fields, up to four of them missing or random; fields in `answers` as well. */
function fieldsOf({ example }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const right = { ...example, ...('lat' in example ? GREEN : {}) }
  const names = fc.oneof(
    { arbitrary: fc.constantFrom(...Object.keys(right), 'answers'), weight: 8 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 1 },
  )
  const keys = fc.oneof(fc.constantFrom('summary', 'description', 'issue_image', '1', '2'), fc.string())
  const values = fc.oneof(strange, fc.dictionary(keys, strange, { maxKeys: 4 }), fc.constant(undefined))
  return fc
    .array(fc.tuple(names, values), { maxLength: 4 })
    .map((changes) => ({ ...right, ...Object.fromEntries(changes.filter(([name]) => name !== '__proto__')) }))
}

type Body = { readonly payload: string | FormData; readonly type?: string }

const wellFormed = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()
const flat = (fields: Record<string, unknown>) =>
  Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, wellFormed(inner ?? '')] as const)
      : [[name, wellFormed(value ?? '')] as const],
  )

function multipart(fields: Record<string, unknown>, file: Uint8Array | undefined, name: string): FormData {
  const form = new FormData()
  for (const [key, value] of flat(fields)) form.append(key.toWellFormed(), value)
  if (file) form.append(name, new Blob([new Uint8Array(file)]), 'a.jpg')
  return form
}

const files = fc.oneof(fc.constant(pngBomb(4, 4)), fc.constant(pngBomb(1e5, 1e5)), fc.uint8Array({ maxLength: 300 }))

function bodyOf(operation: Operation): fc.Arbitrary<Body> {
  const fields = fieldsOf(operation)
  const fileFields = fc.constantFrom('answers[issue_image]', 'uploaded_data', 'image', 'name', 'answers[summary]', 'answers')
  return fc.oneof(
    { arbitrary: fields.map((body): Body => ({ payload: JSON.stringify(body), type: 'application/json' })), weight: 5 },
    {
      arbitrary: fields.map((body): Body => ({
        payload: new URLSearchParams(flat(body).map(([name, value]) => [name, value])).toString(),
        type: 'application/x-www-form-urlencoded',
      })),
      weight: 3,
    },
    {
      arbitrary: fc
        .tuple(fields, fc.option(files, { nil: undefined }), fileFields)
        .map((one): Body => ({ payload: multipart(...one) })),
      weight: 2,
    },
    { arbitrary: fc.json().map((payload): Body => ({ payload, type: 'application/json' })), weight: 1 },
    {
      arbitrary: fc
        .tuple(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.constantFrom(
            'application/json',
            'multipart/form-data',
            'multipart/form-data; boundary=x',
            'application/x-www-form-urlencoded',
            'text/plain',
            'x',
          ),
        )
        .map(([payload, type]): Body => ({ payload, type })),
      weight: 1,
    },
  )
}

const requestTo = (operation: Operation) =>
  fc.record({
    operation: fc.constant(operation),
    body: bodyOf(operation),
    id: fc.oneof(fc.integer({ min: 1, max: 5 }).map(String), fc.constantFrom('0', 'x', '9'.repeat(12), '%00')),
    who: fc.integer({ min: -1, max: 1 }),
    key: fc.option(fc.oneof(fc.constantFrom('a', 'b', ''), fc.string({ maxLength: 20 })), { nil: undefined, freq: 8 }),
  })

/** Creates a session of one of the two users for pages; a few requests end theirs. */
let cookies: string[] = []
async function logIn(): Promise<void> {
  cookies = await Promise.all(
    people.map(async ({ id }) => {
      const secret = newSecret()
      await addSession(app.db, { id, credentialsVersion: 1 }, hashToken(secret))
      return `fixpoint_session=${secret}`
    }),
  )
}

type Request = typeof requestTo extends (operation: Operation) => fc.Arbitrary<infer Value> ? Value : never

async function send({ operation: { method, path }, body, id, who, key }: Request) {
  const url = path.replaceAll(/:\w+/g, id)
  const token = people[who]?.token
  const isApi = path.startsWith('/api')
  const readable = key !== undefined && /^[\x20-\x7e]*$/.test(key)
  const headers = {
    origin: PUBLIC_URL,
    ...(body.type ? { 'content-type': body.type } : {}),
    ...(token && isApi ? { authorization: `Bearer ${token}` } : {}),
    ...(token && !isApi ? { cookie: cookies[who] ?? '' } : {}),
    ...(readable ? { 'idempotency-key': key } : {}),
  }
  const { status, text } = await app.as.anonymous.send(method, url, { headers, body: body.payload })
  const sent = body.payload instanceof FormData ? [...body.payload.entries()] : body.payload
  return { status, text, url: `${method} ${url}`, type: body.type, sent }
}

describe('random write requests', () => {
  it(
    'are answered as documented and never with 500, for every POST and PUT',
    async () => {
      for (const operation of operations) {
        await fc.assert(
          fc.asyncProperty(fc.array(requestTo(operation), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
            await logIn()
            // The test client throws if a response is not as documented. Only many concurrent images lead to 503.
            const answers = await Promise.all(requests.map(send))
            expect(answers.filter(({ status, sent }) => status >= 500 && !(status === 503 && Array.isArray(sent)))).toEqual([])
          }),
          { ...runs(1), endOnFailure: true },
        )
      }
    },
    MAX_MS,
  )
})
