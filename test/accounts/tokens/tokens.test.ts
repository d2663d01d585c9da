import { beforeEach, describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../../http/app-on.ts'

const app = useApp()

const PASSWORD = 'correct horse'
let ada: TestUser

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
})

interface Made {
  readonly id: number
  readonly token: string
  readonly name: string | null
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('POST', `/api/v2${path}`, { body, headers })
const made = async (body: object) => (await post('/tokens', body, basic(ada.email, PASSWORD))).body as Made
const whoIs = async (token: string) => {
  const { status, body } = await app.as.anonymous.get('/profile', bearer(token))
  return status === 200 ? (body as { id: number }).id : status
}

describe('POST /tokens', () => {
  it('creates a token with HTTP Basic, shown once, that authenticates the caller', async () => {
    const answer = await post('/tokens', { name: 'Field app', expires_at: '2030-01-31T12:00:00+01:00' }, basic(ada.email, PASSWORD))

    expect(answer).toMatchObject({
      status: 201,
      body: { id: expect.any(Number) as number, name: 'Field app', expires_at: '2030-01-31T11:00:00Z' },
    })
    expect(answer.headers['cache-control']).toBe('private, no-store')
    expect(await whoIs((answer.body as Made).token)).toBe(ada.id)
  })

  it.each([
    ['', {}],
    [', though it is said to be JSON', { 'content-type': 'application/json' }],
  ])('requires no body with HTTP Basic%s', async (_, type) => {
    const headers = { ...basic(ada.email, PASSWORD), ...type }

    expect(await app.as.anonymous.send('POST', '/api/v2/tokens', { headers })).toMatchObject({
      status: 201,
      body: { name: null, expires_at: null },
    })
  })

  it('creates a token with the address and password in the body, as JSON and as a form', async () => {
    const fields = { email: ada.email.toUpperCase(), password: PASSWORD }
    const ofJson = await post('/tokens', fields)
    const ofForm = await app.as.anonymous.send('POST', '/api/v2/tokens', {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

    for (const { status, body } of [ofJson, ofForm]) {
      expect([status, (body as Made).name]).toEqual([201, null])
      expect(await whoIs((body as Made).token)).toBe(ada.id)
    }
  })

  it.each([
    ['an anonymous caller', () => ({ body: {}, headers: {} }), 'Creating a token requires the password'],
    ['a token', () => ({ body: {}, headers: bearer(ada.token) }), 'Creating a token requires the password'],
    ['a wrong password', () => ({ body: { email: ada.email, password: 'wrong' }, headers: {} }), 'The credentials are wrong'],
    [
      'an unknown address',
      () => ({ body: { email: 'x@example.org', password: PASSWORD }, headers: {} }),
      'The credentials are wrong',
    ],
  ])('returns 401 for %s', async (_caller, make, text) => {
    const { body, headers } = make()

    const answer = await post('/tokens', body, headers)

    expect(answer).toMatchObject({ status: 401, body: { message: expect.stringContaining(text) as string } })
    expect(answer.headers['www-authenticate']).toContain('Basic')
  })

  it.each([
    [{ email: 'a@example.org' }, { password: 'is required together with email' }],
    [{ password: 'x' }, { email: 'is required together with password' }],
    [
      { email: 7, password: '' },
      { email: 'must be an e-mail address of at most 500 characters', password: 'must be a password of at most 500 characters' },
    ],
    [{ name: 'x'.repeat(101) }, { name: 'must be a text of at most 100 characters' }],
    [{ expires_at: '2020-01-01' }, { expires_at: 'must be in the future' }],
  ])('returns 422 for %j', async (body, errors) => {
    expect(await post('/tokens', body)).toMatchObject({ status: 422, body: errors })
  })

  it('creates at most a hundred per account, also for concurrent requests', async () => {
    await app.db.prisma.token.createMany({
      data: Array.from({ length: 97 }, (_, n) => ({ user_id: ada.id, token_hash: `hash ${n}` })),
    })
    await made({})

    const answers = await Promise.all([1, 2, 3].map(() => post('/tokens', {}, basic(ada.email, PASSWORD))))

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })

  it('counts failed attempts by address together with those by HTTP Basic', async () => {
    const guessers = [await app.create.user(), await app.create.user()]
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '20' })
    const guess = ({ token }: TestUser, n: number) =>
      anonymous.send('POST', '/api/v2/tokens', { body: { email: ada.email, password: `guess ${n}` }, headers: bearer(token) })

    const statuses: number[] = []
    for (const guesser of guessers) for (let n = 0; n < 15; n++) statuses.push((await guess(guesser, n)).status)

    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(10).fill(429)])
  })
})

describe('GET /tokens', () => {
  it('lists the caller’s valid tokens, oldest first, without their secrets', async () => {
    const { id } = await made({ name: 'Phone' })
    const other = await app.create.user()
    await app.db.prisma.token.create({ data: { user_id: ada.id, token_hash: 'ended', expires_at: new Date('2020-01-01') } })

    const answer = await app.as.anonymous.get('/tokens', bearer(ada.token))

    expect(answer.body).toEqual({
      errors: {},
      metadata: {},
      tokens: [
        { id: expect.any(Number) as number, name: null, created_at: expect.any(String) as string, expires_at: null },
        { id, name: 'Phone', created_at: expect.any(String) as string, expires_at: null },
      ],
    })
    expect(answer.text).not.toMatch(/fxp_|hash/)
    expect((await app.as.anonymous.get('/tokens', bearer(other.token))).body).toMatchObject({ tokens: [{ name: null }] })
  })

  it('returns 401 for an anonymous caller', async () => {
    expect((await app.as.anonymous.get('/tokens')).status).toBe(401)
  })
})

describe('DELETE /tokens/:id', () => {
  it('invalidates a token immediately', async () => {
    const { id, token } = await made({})
    expect(await whoIs(token)).toBe(ada.id)

    const answer = await app.as.anonymous.send('DELETE', `/api/v2/tokens/${id}`, { headers: bearer(ada.token) })

    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(await whoIs(token)).toBe(401)
  })

  it('returns 404 for a token of another user and keeps it', async () => {
    const { id, token } = await made({})
    const other = await app.create.user()

    expect((await app.as.anonymous.send('DELETE', `/api/v2/tokens/${id}`, { headers: bearer(other.token) })).status).toBe(404)
    expect((await app.as.anonymous.send('DELETE', `/api/v2/tokens/${id}`)).status).toBe(401)
    expect(await whoIs(token)).toBe(ada.id)
  })
})

describe('POST /oauth/token', () => {
  it('answers the password grant of RFC 6749', async () => {
    const answer = await post('/oauth/token', { grant_type: 'password', username: ada.email, password: PASSWORD })

    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    expect(await whoIs((answer.body as { access_token: string }).access_token)).toBe(ada.id)
  })

  it.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: 'password', password: 'x' }, 'invalid_request'],
    [{ grant_type: 'password', username: ['a', 'b'], password: 'x' }, 'invalid_request'],
    [{ grant_type: 'password', username: 'a@example.org', password: 'wrong' }, 'invalid_grant'],
  ])('returns an OAuth error for %j', async (body, error) => {
    const answer = await post('/oauth/token', body)

    expect(answer).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) as string } })
  })
})
