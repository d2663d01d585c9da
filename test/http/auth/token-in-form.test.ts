import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=cut' }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
).toString('latin1')

const field = (name: string, value: string) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name: string) =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${PNG}\r\n`
const multipart = (...parts: string[]) => Buffer.from(`${parts.join('')}--cut--\r\n`, 'latin1')
const encoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

type Method = 'POST' | 'PUT' | 'DELETE'
type Headers = Record<string, string>

/** An app behind a proxy that reports the protocol. */
async function service(env: Record<string, string> = {}) {
  const { anonymous, logged } = await appOn(app.db, { TRUST_PROXY: '1', ...env })
  const send = (method: Method, path: string, body: unknown, headers: Headers = {}) =>
    anonymous.send(method, `/api/v2${path}`, { body, headers: { ...HTTPS, ...FORM, ...headers } })
  return { anonymous, send, logged: () => JSON.stringify(logged) }
}

const commenters = () =>
  queryRows<{ name: string; comment: string }>(
    app.db,
    sql`
    SELECT u.name, c.comment FROM comments c JOIN users u ON u.id = c.commenter_id ORDER BY c.id`,
  )

describe('access_token in a form', () => {
  it.each<[string, Method, string, Record<string, string>, number]>([
    ['a comment', 'POST', '/issues/1/comments', { comment: 'Seen' }, 201],
    ['a vote, which has no fields', 'POST', '/issues/1/vote', {}, 201],
    ['a follow', 'POST', '/issues/1/follow', {}, 201],
    ['a change of the profile', 'PUT', '/profile', { name: 'Ada Hill' }, 200],
    ['what it may not delete', 'DELETE', '/issues/1/vote', {}, 422],
  ])('authenticates over HTTPS, and the response is not cacheable: %s', async (_, method, path, fields, expected) => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send } = await service()

    const { status, headers, text } = await send(method, path, encoded({ ...fields, access_token: ada.token }))

    expect([status, headers['cache-control']]).toEqual([expected, 'private, no-store'])
    expect(text).not.toContain(ada.token)
  })

  it('is read in multipart bodies before the first file only', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    await app.create.issue()
    const { send } = await service()
    const [token, comment] = [field('access_token', ada.token), field('comment', 'Seen')]

    const post = async (...parts: string[]) => send('POST', '/issues/1/comments', multipart(...parts), MULTIPART)
    const answers = [
      await post(comment, token, file('image')),
      await post(comment, token),
      await post(comment, file('image'), token),
    ]

    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [201, 'private, no-store'],
      [201, 'private, no-store'],
      [401, 'public, no-cache'],
    ])
    expect(await commenters()).toEqual([
      { name: 'Ada Park', comment: 'Seen' },
      { name: 'Ada Park', comment: 'Seen' },
    ])
  })

  it.each(['fxp_unknown', '', 'fxp_a&access_token=fxp_b', 'fxp_a&access_token[]=fxp_b'])(
    'returns 401 for a wrong token: %s',
    async (token) => {
      await app.create.issue()
      const { send } = await service()

      expect(await send('POST', '/issues/1/comments', `comment=Seen&access_token=${token}`)).toMatchObject({
        status: 401,
        headers: { 'cache-control': 'private, no-store' },
        body: { message: 'The credentials are wrong: check them and try again.' },
      })
    },
  )

  it('is refused over plain HTTP, also on public routes', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send } = await service()
    const http = { 'x-forwarded-proto': 'http' }
    const token = encoded({ access_token: ada.token, lat: '1', lng: '1', radius: '100', comment: 'Seen' })

    const answers = [
      await send('POST', '/issues/1/comments', token, http),
      await send('PUT', '/profile', token, http),
      await send('POST', '/issues/1/comments', multipart(field('access_token', ada.token)), { ...MULTIPART, ...http }),
      await send('POST', '/watchers/forecast', token, http),
      await send('POST', `/issues/1/comments?${token}`, '', http),
    ]

    const refused = {
      status: 401,
      headers: { 'cache-control': 'private, no-store' },
      body: { message: 'The access_token parameter is accepted over HTTPS only: send the token as Authorization: Bearer.' },
    }
    expect(answers).toMatchObject(Array<object>(5).fill(refused))
  })

  it('leaves the session in place over plain HTTP if it is missing', async () => {
    await app.create.issue()
    const { send } = await service()
    const http = { 'x-forwarded-proto': 'http' }

    const answers = [
      await send('POST', '/issues/1/comments', encoded({ comment: 'Seen' }), http),
      await send('PUT', '/profile', encoded({ name: 'Eve Hill' }), http),
    ]

    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [401, 'public, no-cache'],
      [422, 'public, no-cache'],
    ])
  })

  it('is ignored in JSON, and leaves the session in place if it is missing', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send } = await service()
    const json = { 'content-type': 'application/json' }

    const answers = [
      await send('POST', '/issues/1/comments', { comment: 'Seen', access_token: ada.token }, json),
      await send('PUT', '/profile', { name: 'Eve Hill', access_token: ada.token }, json),
      await send('POST', '/issues/1/comments', encoded({ comment: 'Seen' })),
      await send('PUT', '/profile', encoded({ name: 'Eve Hill' })),
      await send('POST', '/issues/1/comments', multipart(field('comment', 'Seen'), file('image')), MULTIPART),
      await send('POST', '/issues/1/vote', ''),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 422, 401, 422, 401, 401])
    expect(answers[3]?.body).toEqual({ errors: { login: 'You must be logged in: send HTTP Basic or a Bearer token.' } })
  })

  it('yields to the header and to the query, valid or not', async () => {
    const [ada, ben] = [await app.create.user({ name: 'Ada Park' }), await app.create.user({ name: 'Ben Hill' })]
    await app.create.issue()
    const { send } = await service()
    const body = encoded({ comment: 'Seen', access_token: ada.token })

    const answers = [
      await send('POST', '/issues/1/comments', body, bearer(ben.token)),
      await send('POST', `/issues/1/comments?access_token=${ben.token}`, body),
      await send('POST', '/issues/1/comments', body, bearer('fxp_unknown')),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 401])
    expect(answers[0]?.headers['cache-control']).toBe('private, no-store')
    expect((await commenters()).map(({ name }) => name)).toEqual(['Ben Hill', 'Ben Hill'])
  })

  it('allows cross-site forms like a Bearer token', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send } = await service()
    const origin = { origin: 'https://elsewhere.example' }

    const [with_, without] = [
      await send('POST', '/issues/1/vote', encoded({ access_token: ada.token }), origin),
      await send('POST', '/issues/1/vote', 'x=y', origin),
    ]

    expect([with_.status, without.status]).toEqual([201, 403])
  })

  it('is absent from the log and from the idempotency fingerprint', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send, logged } = await service()
    const key = { 'idempotency-key': 'one' }

    const first = await send('POST', '/issues/1/comments', encoded({ comment: 'Seen', access_token: ada.token }), key)
    const again = await send('POST', '/issues/1/comments', encoded({ comment: 'Seen' }), { ...key, ...bearer(ada.token) })
    const parts = multipart(field('access_token', ada.token), field('comment', 'Seen'))
    const multi = await send('POST', '/issues/1/comments', parts, { ...key, ...MULTIPART })

    expect([first.status, again.status, multi.status]).toEqual([201, 201, 201])
    expect([again, multi].map(({ headers }) => headers['idempotency-replayed'])).toEqual(['true', 'true'])
    expect(multi.headers['cache-control']).toBe('private, no-store')
    const rows = await queryRows(app.db, sql`SELECT k::text FROM idempotency_keys k`)
    expect(JSON.stringify(rows)).not.toContain(ada.token)
    expect(logged()).toContain('"operation_id":"createComment"')
    expect(logged()).not.toContain(ada.token)
  })

  it.each(['Access_Token', 'access-token', 'access_tokn', 'access_token '])('is 422 if it is misspelt as %j', async (name) => {
    const ada = await app.create.user()
    await app.create.issue()
    const { send, logged } = await service()
    const body = encoded({ comment: 'Seen', [name]: ada.token })
    const parts = multipart(field('comment', 'Seen'), field(name, ada.token), file('image'))

    const answers = [
      await send('POST', '/issues/1/comments', body, { 'idempotency-key': 'one' }),
      await send('POST', '/issues/1/comments', body, { 'idempotency-key': 'two', ...bearer(ada.token) }),
      await send('POST', '/issues/1/comments', parts, MULTIPART),
    ]

    const meant = 'did you mean access_token? This operation has no parameter of this name'
    expect(answers).toMatchObject(Array<object>(3).fill({ status: 422, body: { [name]: meant } }))
    expect(await queryRows(app.db, sql`SELECT k.* FROM idempotency_keys k`)).toEqual([])
    expect(await commenters()).toEqual([])
    expect(logged()).not.toContain(ada.token)
  })

  it('counts against its user; a wrong token counts against the address as a login attempt', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    const { anonymous, send } = await service({ RATE_LIMIT: '5' })
    const vote = (token: string, address: string) =>
      send('POST', '/issues/1/vote', encoded({ access_token: token }), { 'x-forwarded-for': address })
    const left = async (headers: Headers) =>
      /r=(\d+)/.exec(String((await anonymous.get('/profile', headers)).headers['ratelimit']))?.[1]

    for (let n = 0; n < 3; n++) await vote(ada.token, '203.0.113.80')
    const wrong: number[] = []
    for (let n = 0; n < 6; n++) wrong.push((await vote(`fxp_${n}`, '203.0.113.81')).status)

    expect(await left({ 'x-forwarded-for': '203.0.113.80' })).toBe('4')
    expect(await left({ 'x-forwarded-for': '203.0.113.80', ...bearer(ada.token) })).toBe('1')
    expect(wrong).toEqual([401, 401, 401, 401, 401, 429])
  })
})
