import { describe, expect, it } from 'vitest'

import { appOn, bearer } from '../app-on.ts'
import { gate } from '../gate.ts'
import { key, useTestRoutes } from './use-test-routes.ts'

const { app, context, post, countThings } = useTestRoutes()

const ownHeaders = new Set(['x-request-id', 'ratelimit', 'date', 'idempotency-replayed'])
const lasting = (headers: object) => Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)))

describe('a repeated POST with an Idempotency-Key', () => {
  it('makes the change once and replays status, headers and body', async () => {
    const first = await post({ name: 'Ada' })

    const again = await post({ name: 'Ada' })

    expect(first).toMatchObject({ status: 201, body: { id: 1, name: 'Ada' }, headers: { location: '/things/1' } })
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect({ ...again, headers: lasting(again.headers) }).toEqual({ ...first, headers: lasting(first.headers) })
    expect(await countThings()).toBe(1)
  })

  it('makes the change once for a hundred concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post({ name: 'Ada' })))

    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text))).toEqual(new Set(['{"id":1,"name":"Ada"}']))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(refused.length > 0 ? [409] : []))
    expect(await countThings()).toBe(1)
    expect(await post({ name: 'Ada' })).toMatchObject({ status: 201, text: '{"id":1,"name":"Ada"}' })
  })

  it('ignores the order of fields, unknown fields and the content type', async () => {
    const form = (content: string) => {
      const data = new FormData()
      data.append('image', new Blob([content]), `${content}.png`)
      data.append('name', 'Ada')
      return data
    }
    const type = { ...key, 'content-type': 'application/x-www-form-urlencoded' }
    await post({ name: 'Ada', other: 'x' })

    expect((await post('other=y&name=Ada', type)).headers['idempotency-replayed']).toBe('true')
    expect((await post(form('a'), { 'idempotency-key': 'b' })).status).toBe(201)
    expect((await post(form('a'), { 'idempotency-key': 'b' })).headers['idempotency-replayed']).toBe('true')
    expect((await post(form('c'), { 'idempotency-key': 'b' })).status).toBe(422)
  })

  it('returns 422 with another body or other parameters', async () => {
    await post({ name: 'Ada' })
    const text = 'was used for a request with other content: every new request needs a new key'

    expect(await post({ name: 'Bob' })).toMatchObject({ status: 422, body: { 'Idempotency-Key': text } })
    expect(await post({ name: 'Ada' }, key, '/things?x=1')).toMatchObject({ status: 422, body: { 'Idempotency-Key': text } })
    expect((await post({ name: 'Ada' }, key, '/nested')).status).toBe(201)
    expect(await post({ name: 'Bob' }, key, '/nested')).toMatchObject({
      status: 422,
      body: { errors: { 'Idempotency-Key': [text] } },
    })
    expect(await countThings()).toBe(2)
  })

  it('returns 409 while the first request is active', async () => {
    const [begun, end] = [gate(), gate()]
    context.before = () => (begun.open(), end.opened)
    const first = post({ name: 'Ada' })
    await begun.opened

    const twin = await post({ name: 'Ada' })
    const other = await post({ name: 'Bob' })
    end.open()

    expect(twin).toMatchObject({
      status: 409,
      headers: { 'retry-after': '1' },
      body: { message: 'A request with this Idempotency-Key is still in progress: try again shortly.' },
    })
    expect(other.status).toBe(422)
    expect(await first).toMatchObject({ status: 201, body: { id: 1 } })
    expect((await post({ name: 'Ada' })).headers['idempotency-replayed']).toBe('true')
  })

  it('replays refusals except 401 and 5xx', async () => {
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

  it('has the usual headers: CORS, validators, limits, compression', async () => {
    const browser = { 'user-agent': 'tests', origin: 'https://elsewhere.example', 'accept-encoding': 'br' }
    const headers = { ...browser, ...bearer(context.ada.token), ...key }
    const send = () => app.fastify.inject({ method: 'POST', url: '/api/v2/anybody', headers, payload: { name: 'Ada' } })
    const [first, again] = [await send(), await send()]

    expect(again.headers['access-control-expose-headers']).toContain('Idempotency-Replayed')
    expect(again.headers['content-encoding']).toBe('br')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(lasting(again.headers)).toEqual(lasting(first.headers))
    expect(again.rawPayload).toEqual(first.rawPayload)
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  it('counts against the rate limit', async () => {
    const { fastify } = await appOn(app.db, { RATE_LIMIT: '20' })
    const send = () =>
      fastify.inject({
        method: 'POST',
        url: '/api/v2/things',
        headers: { 'user-agent': 'tests', ...bearer(context.ada.token), ...key },
        payload: { name: 'Ada' },
      })
    const left = (header: unknown) => Number(/r=(\d+)/.exec(String(header))?.[1])

    const [first, again] = [await send(), await send()]

    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(left(first.headers['ratelimit']) - left(again.headers['ratelimit'])).toBe(1)
  })

  it('replays a response without content', async () => {
    expect((await post(undefined, key, '/empty')).status).toBe(204)
    expect(await post(undefined, key, '/empty')).toMatchObject({
      status: 204,
      text: '',
      headers: { 'idempotency-replayed': 'true' },
    })
    expect(await countThings()).toBe(1)
  })
})
