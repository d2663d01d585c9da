import Type from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'

import { sweepIdempotencyKeys } from '../../../jobs/handlers/sweep-idempotency-keys.ts'
import { sql } from '../../../src/database/database.ts'
import { needsLogin } from '../../../src/http/auth/access.ts'
import { once } from '../../../src/http/idempotency/idempotent.ts'
import { problems } from '../../../src/errors/problems.ts'
import { failsWith } from '../../../src/http/schema/fields.ts'
import { UploadedFile } from '../../../src/http/request/upload.ts'
import type { Person } from '../../helpers/given.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { gate } from '../gate.ts'
import { plant } from '../planted.ts'

/** What the planted route does before its change, such as stopping there; set by the test. */
let before: () => Promise<void>

plant(async (app) => {
  const Thing = Type.Object({ id: Type.Integer(), name: Type.String() })
  const body = Type.Object({
    name: Type.String({ minLength: 3, 'x-allowed': 'a text of 3 to 40 characters' }),
    image: Type.Optional(UploadedFile()),
    status: Type.Optional(Type.Integer()),
  })
  const schema = { operationId: 'makeThing', body, response: { 201: Thing, ...failsWith(400, 404, 413, 415, 422) } }
  const make = { schema, config: { files: ['image'] }, onRequest: needsLogin }
  app.post('/things', make, async (request, reply) => {
    const { name, status } = request.body
    await before()
    const { id } = await once(request, it.db, async (tx) => ({ id: await insertThing(tx) }))
    if (status === 401) throw problems.wrongCredentials()
    if (status !== undefined) throw new Error('planted')
    return reply.code(201).header('location', `/things/${id}`).send({ id, name })
  })
  app.put('/things', { schema: { ...schema, operationId: 'putThing' } }, async (_request, reply) => {
    return reply.code(201).send({ id: await insertThing(it.db), name: 'put' })
  })
  const anybody = { schema: { ...schema, operationId: 'anybody', response: { 201: Type.Object({ text: Type.String() }) } } }
  app.post('/anybody', anybody, async (_request, reply) => reply.code(201).send({ text: 'x'.repeat(5_000) }))
  const nested = { schema: { ...schema, operationId: 'nested' }, config: { faults: 'nested' as const } }
  app.post('/nested', nested, async (_request, reply) => reply.code(201).send({ id: await insertThing(it.db), name: 'nested' }))
  const secret = { schema: { ...schema, operationId: 'secret' }, config: { idempotency: false as const } }
  app.post('/secrets', secret, async (_request, reply) => reply.code(201).send({ id: await insertThing(it.db), name: 'secret' }))
  app.post('/empty', { schema: { operationId: 'emptyPost', response: { 204: Type.Null() } } }, async (_request, reply) => {
    await insertThing(it.db)
    return reply.code(204).send(null)
  })
})

async function insertThing(db: Pick<typeof it.db, 'query'>): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`
    INSERT INTO events (type, subject_type, subject_id) VALUES ('planted', 'thing', 1) RETURNING events.id`)
  return row?.id ?? 0
}

const it = useApp()
let ada: Person

beforeEach(async () => {
  before = async () => {}
  ada = await it.given.user()
})

const KEY = '0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40'
const key = { 'idempotency-key': KEY }
const post = (body: unknown, headers: Record<string, string> = key, path = '/things') =>
  it.as.user(ada).send('POST', `/api/v2${path}`, { body, headers })
const things = async () => (await it.db.query(sql`SELECT e.id FROM events e WHERE e.type = 'planted'`)).length
const ownHeaders = new Set(['x-request-id', 'ratelimit', 'date', 'idempotency-replayed'])
const lasting = (headers: object) => Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)))

describe('a POST that is sent again with its key', () => {
  test('is done once, and answered with the first status, headers and body', async () => {
    const first = await post({ name: 'Ada' })

    const again = await post({ name: 'Ada' })

    expect(first).toMatchObject({ status: 201, body: { id: 1, name: 'Ada' }, headers: { location: '/things/1' } })
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect({ ...again, headers: lasting(again.headers) }).toEqual({ ...first, headers: lasting(first.headers) })
    expect(await things()).toBe(1)
  })

  test('is done once though a hundred come at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post({ name: 'Ada' })))

    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text))).toEqual(new Set(['{"id":1,"name":"Ada"}']))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(refused.length > 0 ? [409] : []))
    expect(await things()).toBe(1)
    expect(await post({ name: 'Ada' })).toMatchObject({ status: 201, text: '{"id":1,"name":"Ada"}' })
  })

  test('is the same in another order of fields, as a form and with the same file', async () => {
    const form = (content: string) => {
      const data = new FormData()
      data.append('image', new Blob([content]), `${content}.png`)
      data.append('name', 'Ada')
      return data
    }
    const type = { ...key, 'content-type': 'application/x-www-form-urlencoded' }
    await post({ name: 'Ada', other: 'x' })

    expect((await post('other=x&name=Ada', type)).headers['idempotency-replayed']).toBe('true')
    expect((await post(form('a'), { 'idempotency-key': 'b' })).status).toBe(201)
    expect((await post(form('a'), { 'idempotency-key': 'b' })).headers['idempotency-replayed']).toBe('true')
    expect((await post(form('c'), { 'idempotency-key': 'b' })).status).toBe(422)
  })

  test('is 422 with another body, and with other parameters', async () => {
    await post({ name: 'Ada' })
    const text = 'was used for a request with other content: every new request needs a new key'

    expect(await post({ name: 'Bob' })).toMatchObject({ status: 422, body: { 'Idempotency-Key': text } })
    expect(await post({ name: 'Ada' }, key, '/things?x=1')).toMatchObject({ status: 422, body: { 'Idempotency-Key': text } })
    expect((await post({ name: 'Ada' }, key, '/nested')).status).toBe(201)
    expect(await post({ name: 'Bob' }, key, '/nested')).toMatchObject({
      status: 422,
      body: { errors: { 'Idempotency-Key': [text] } },
    })
    expect(await things()).toBe(2)
  })

  test('is 409 while the first is being answered', async () => {
    const [begun, end] = [gate(), gate()]
    before = () => (begun.open(), end.opened)
    const first = post({ name: 'Ada' })
    await begun.opened

    const twin = await post({ name: 'Ada' })
    const other = await post({ name: 'Bob' })
    end.open()

    expect(twin).toMatchObject({
      status: 409,
      headers: { 'retry-after': '1' },
      body: { message: 'A request with this Idempotency-Key is still being answered: ask again shortly.' },
    })
    expect(other.status).toBe(422)
    expect(await first).toMatchObject({ status: 201, body: { id: 1 } })
    expect((await post({ name: 'Ada' })).headers['idempotency-replayed']).toBe('true')
  })

  test('is answered again with what was refused, but not with 401 and 5xx', async () => {
    const refused = [await post({ name: 'A' }), await post({ name: 'A' })]
    const broken = [await post({ name: 'Ada', status: 500 }, { 'idempotency-key': 'b' })]
    const missing = [await post({ name: 'Ada', status: 401 }, { 'idempotency-key': 'c' })]
    broken.push(await post({ name: 'Ada', status: 500 }, { 'idempotency-key': 'b' }))
    missing.push(await post({ name: 'Ada', status: 401 }, { 'idempotency-key': 'c' }))

    expect(refused.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 2 }, () => [422, '{"name":"must be a text of 3 to 40 characters"}']),
    )
    expect(refused.map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
    expect(broken.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [500, undefined],
      [500, undefined],
    ])
    expect(missing.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [401, undefined],
      [401, undefined],
    ])
  })

  test('is answered by the same conventions: CORS, validators, limits, compression', async () => {
    const browser = { 'user-agent': 'tests', origin: 'https://elsewhere.example', 'accept-encoding': 'br' }
    const headers = { ...browser, ...bearer(ada.token), ...key }
    const send = () => it.app.inject({ method: 'POST', url: '/api/v2/anybody', headers, payload: { name: 'Ada' } })
    const [first, again] = [await send(), await send()]

    expect(again.headers['access-control-expose-headers']).toContain('Idempotency-Replayed')
    expect(again.headers['content-encoding']).toBe('br')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(lasting(again.headers)).toEqual(lasting(first.headers))
    expect(again.rawPayload).toEqual(first.rawPayload)
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  test('counts against the rate limit like any other', async () => {
    const { app } = await appOn(it.db, { RATE_LIMIT: '20' })
    const send = () =>
      app.inject({
        method: 'POST',
        url: '/api/v2/things',
        headers: { 'user-agent': 'tests', ...bearer(ada.token), ...key },
        payload: { name: 'Ada' },
      })
    const left = (header: unknown) => Number(/r=(\d+)/.exec(String(header))?.[1])

    const [first, again] = [await send(), await send()]

    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(left(first.headers['ratelimit']) - left(again.headers['ratelimit'])).toBe(1)
  })

  test('may have no content', async () => {
    expect((await post(undefined, key, '/empty')).status).toBe(204)
    expect(await post(undefined, key, '/empty')).toMatchObject({
      status: 204,
      text: '',
      headers: { 'idempotency-replayed': 'true' },
    })
    expect(await things()).toBe(1)
  })
})

describe('a key', () => {
  test('belongs to its caller, method and address', async () => {
    const bob = await it.given.user()
    const other = { body: { name: 'Bob' }, headers: key }
    await post({ name: 'Ada' })

    const statuses = [
      (await it.as.user(bob).send('POST', '/api/v2/things', other)).status,
      (await it.as.nobody.send('POST', '/api/v2/anybody', other)).status,
      (await it.as.user(bob).send('POST', '/api/v2/anybody', { ...other, body: { name: 'Ada' } })).status,
      (await it.as.user(ada).send('PUT', '/api/v2/things', other)).status,
      (await it.as.user(ada).send('PUT', '/api/v2/things', other)).status,
    ]

    expect(statuses).toEqual([201, 201, 201, 201, 201])
    expect(await things()).toBe(4)
  })

  test('of nobody belongs to the client address', async () => {
    const { app } = await appOn(it.db, { TRUST_PROXY: '1' })
    const send = (address: string, name: string) =>
      app.inject({
        method: 'POST',
        url: '/api/v2/anybody',
        headers: { 'user-agent': 'tests', 'x-forwarded-for': address, ...key },
        payload: { name },
      })

    const statuses = [await send('192.0.2.1', 'Ada'), await send('192.0.2.2', 'Bob'), await send('192.0.2.1', 'Bob')]

    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 422])
  })

  test('opens nothing without the login', async () => {
    await post({ name: 'Ada' })

    expect((await it.as.nobody.send('POST', '/api/v2/things', { body: { name: 'Ada' }, headers: key })).status).toBe(401)
  })

  test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('that is no key is 422: %j', async (text) => {
    expect(await post({ name: 'Ada' }, { 'idempotency-key': text })).toMatchObject({
      status: 422,
      body: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters, such as a UUID' },
    })
  })

  test('is ignored where the answer holds credentials', async () => {
    const answers = [await post({ name: 'Ada' }, key, '/secrets'), await post({ name: 'Ada' }, key, '/secrets')]

    expect(answers.map(({ body }) => body)).toEqual([
      { id: 1, name: 'secret' },
      { id: 2, name: 'secret' },
    ])
    expect(await it.db.query(sql`SELECT k.scope FROM idempotency_keys k`)).toEqual([])
  })

  test('is kept as hashes only, with nothing of what was sent', async () => {
    await post({ name: 'password-of-ada' }, key, '/anybody')

    const rows = await it.db.query<{ text: string }>(sql`SELECT k::text AS text FROM idempotency_keys k`)

    expect(rows).toHaveLength(1)
    expect(rows[0]?.text).not.toMatch(new RegExp(`${KEY}|password-of-ada`))
  })

  test('is forgotten after 24 hours, and swept then', async () => {
    const old = (hours: number) =>
      it.db.query(sql`UPDATE idempotency_keys SET created_at = now() - make_interval(mins => ${hours * 60 - 1})`)
    const swept = async () => {
      await sweepIdempotencyKeys({}, it.services)
      return (await it.db.query(sql`SELECT k.scope FROM idempotency_keys k`)).length === 0
    }
    await post({ name: 'Ada' })

    await old(24)
    expect([(await post({ name: 'Ada' })).status, await things(), await swept()]).toEqual([201, 1, false])
    await it.db.query(sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours'`)
    expect([(await post({ name: 'Bob' })).body, await things()]).toEqual([{ id: 2, name: 'Bob' }, 2])
    await it.db.query(sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`) // two clocks
    expect(await swept()).toBe(true)
  })

  test('is not needed: without one a change is made each time', async () => {
    const answers = [await post({ name: 'Ada' }, {}), await post({ name: 'Ada' }, {})]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await things()).toBe(2)
  })
})
