import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashToken, newSecret } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()

const PASSWORD = 'correct horse'
let ada: { id: number; email: string; token: string }

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
})

const SESSION = 'fixpoint_session'
const OWN = { 'sec-fetch-site': 'same-origin' }
const browser = () => createBrowser(app.fastify)

async function loggedIn() {
  const one = browser()
  const answer = await one.post('/login', { email: ada.email, password: PASSWORD })
  return Object.assign(one, { answer, secret: one.jar.get(SESSION) ?? '' })
}

const cookie = (secret: string) => ({ cookie: `${SESSION}=${secret}` })
const whoIs = async (headers: Record<string, string>) =>
  (await app.as.anonymous.get('/profile', headers)).body as { id: number | null }
const sessions = () =>
  queryRows<{ token_hash: string }>(
    app.db,
    sql`
    SELECT t.token_hash FROM tokens t WHERE t.kind = 'session' AND t.user_id = ${ada.id} ORDER BY t.created_at, t.id`,
  )

describe('login', () => {
  it('stores only a hash of the session and sets an HttpOnly, SameSite cookie', async () => {
    const { answer, secret } = await loggedIn()

    expect(answer).toMatchObject({ status: 303, headers: { location: '/' } })
    const cookies = [answer.headers['set-cookie']].flat()
    expect(cookies).toEqual([
      `fixpoint_session=${secret}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Strict`,
      expect.stringMatching(/^fixpoint_device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    expect(await sessions()).toEqual([{ token_hash: hashToken(secret) }])
    expect(await whoIs({ ...cookie(secret), ...OWN })).toMatchObject({ id: ada.id })
  })

  it('sets a Secure cookie with the __Host- prefix if PUBLIC_URL is https', async () => {
    const { fastify } = await appOn(app.db, { PUBLIC_URL: 'https://fixpoint.test' })
    const one = createBrowser(fastify, { origin: 'https://fixpoint.test' })

    const answer = await one.post('/login', { email: ada.email, password: PASSWORD })

    expect([answer.headers['set-cookie']].flat()).toEqual([
      expect.stringMatching(/^__Host-fixpoint_session=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(/^__Host-fixpoint_device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ])
    expect((await one.get('/account')).visibleText).toContain('Ada Park')
  })

  it('replaces and ends the session that the browser sent', async () => {
    const foreignSecret = newSecret()
    const victim = browser()
    victim.jar.set(SESSION, foreignSecret)
    await victim.post('/login', { email: ada.email, password: PASSWORD })
    const first = victim.jar.get(SESSION) ?? ''
    await victim.post('/login', { email: ada.email, password: PASSWORD })

    expect(new Set([foreignSecret, first, victim.jar.get(SESSION)]).size).toBe(3)
    expect(await whoIs({ ...cookie(foreignSecret), ...OWN })).toEqual({ id: null })
    expect(await whoIs({ ...cookie(first), ...OWN })).toEqual({ id: null })
    expect(await sessions()).toHaveLength(1)
  })

  it('keeps twenty sessions and ends the oldest', async () => {
    const all = []
    while (all.length < 21) all.push((await loggedIn()).secret)

    expect((await sessions()).map(({ token_hash }) => token_hash).sort()).toEqual(all.slice(1).map(hashToken).sort())
  })

  it('excludes sessions from the tokens API', async () => {
    const { secret } = await loggedIn()
    const [row] = await queryRows<{ id: number }>(app.db, sql`SELECT t.id FROM tokens t WHERE t.kind = 'session'`)
    const own = { ...cookie(secret), ...OWN }

    const list = await app.as.anonymous.get('/tokens', own)
    const removed = await app.as.anonymous.send('DELETE', `/api/v2/tokens/${row?.id}`, { headers: own })

    expect((list.body as { tokens: object[] }).tokens).toHaveLength(1)
    expect(removed.status).toBe(404)
  })
})

describe('sessions', () => {
  it('end thirty days after the last use, which is stored at most once an hour', async () => {
    const { secret } = await loggedIn()
    const age = (hours: number) =>
      queryRows(
        app.db,
        sql`
        UPDATE tokens SET last_used_at = now() - ${hours} * interval '1 hour', expires_at = now() + interval '30 days' - ${hours} * interval '1 hour'
        WHERE kind = 'session' RETURNING id`,
      )
    const used = async () => {
      const answer = await whoIs({ ...cookie(secret), ...OWN })
      const [row] = await queryRows<{ minutes: number }>(
        app.db,
        sql`
        SELECT round(extract(epoch FROM now() - t.last_used_at) / 60)::integer AS minutes FROM tokens t WHERE t.kind = 'session'`,
      )
      return [answer.id, row?.minutes]
    }
    await age(0.75)
    const soon = await used()
    await age(29.9 * 24)
    const late = await used()
    await age(30.1 * 24)

    expect(soon).toEqual([ada.id, 45])
    expect(late).toEqual([ada.id, 0])
    expect(await used()).toEqual([null, expect.any(Number)])
  })

  it('are deleted with their cookie at logout', async () => {
    const one = await loggedIn()

    const answer = await one.post('/logout')

    expect(answer).toMatchObject({ status: 303, headers: { location: '/' } })
    expect(await sessions()).toEqual([])
    expect(one.jar.has(SESSION)).toBe(false)
    expect(await whoIs({ ...cookie(one.secret), ...OWN })).toEqual({ id: null })
  })

  it('end at a password change, except the one that made the change; tokens end as well', async () => {
    const [here, there] = [await loggedIn(), await loggedIn()]
    const body = { password: 'battery staple', password_confirmation: 'battery staple', current_password: PASSWORD }

    const { status } = await app.as.anonymous.send('PUT', '/api/v2/profile', { headers: { ...cookie(here.secret), ...OWN }, body })

    expect(status).toBe(200)
    expect(await whoIs({ ...cookie(here.secret), ...OWN })).toMatchObject({ id: ada.id })
    expect(await whoIs({ ...cookie(there.secret), ...OWN })).toEqual({ id: null })
    expect((await app.as.anonymous.get('/profile', bearer(ada.token))).status).toBe(401)
  })

  it('are anonymous when unknown or expired, and pages clear the cookie', async () => {
    const lost = browser()
    lost.jar.set(SESSION, newSecret())

    const answer = await lost.get('/places')

    expect(await whoIs({ ...cookie(newSecret()), ...OWN })).toEqual({ id: null })
    expect(answer.status).toBe(200)
    expect(answer.visibleText).toContain('Log in Register')
    expect(lost.jar.has(SESSION)).toBe(false)
    expect(answer.headers['cache-control']).toBe('private, no-store')
  })

  it('cannot create tokens without the password', async () => {
    const { secret } = await loggedIn()
    const { status } = await app.as.anonymous.send('POST', '/api/v2/tokens', { headers: { ...cookie(secret), ...OWN }, body: {} })

    expect(status).toBe(401)
  })

  it('yield to an Authorization header, valid or not', async () => {
    const { secret } = await loggedIn()
    const ben = await app.create.user()
    const own = { ...cookie(secret), ...OWN }

    expect(await whoIs({ ...own, ...bearer(ben.token) })).toMatchObject({ id: ben.id })
    expect((await app.as.anonymous.get('/profile', { ...own, ...basic(ada.email, 'wrong') })).status).toBe(401)
  })

  it('make responses private', async () => {
    const issue = await app.create.issue()
    const { secret } = await loggedIn()

    const [mine, anybodys] = await Promise.all([
      app.as.anonymous.get(`/issues/${issue}`, { ...cookie(secret), ...OWN }),
      app.as.anonymous.get(`/issues/${issue}`),
    ])
    const page = await browserWith(secret).get('/places')

    expect(mine.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: expect.stringContaining('Cookie') as string })
    expect(anybodys.headers['cache-control']).toBe('public, no-cache')
    expect(mine.headers['etag']).not.toBe(anybodys.headers['etag'])
    expect(page.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: expect.stringContaining('Cookie') as string })
    expect(page.visibleText).toContain('Ada Park Menu')
  })
})

function browserWith(secret: string) {
  const one = browser()
  one.jar.set(SESSION, secret)
  return one
}

describe('cross-site requests', () => {
  const fromElsewhere = [
    ['says so by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }],
    ['is on the same domain', { 'sec-fetch-site': 'same-site', origin: 'http://other.fixpoint.test' }],
    ['says so by Origin', { origin: 'https://elsewhere.example' }],
    ['hides its origin', { origin: 'null' }],
    ['sends no origin', {}],
  ] as const

  it.each(fromElsewhere)('refuse a form with the cookie: another site %s', async (_, headers) => {
    const one = await loggedIn()

    const answer = await one.post('/logout', {}, headers)

    expect(answer.status).toBe(403)
    expect(answer.visibleText).toContain(
      'This form did not come from our site, so nothing was changed. Open http://fixpoint.test in your browser, log in there and send it again.',
    )
    expect(await sessions()).toHaveLength(1)
  })

  it.each(fromElsewhere)('refuse API writes with the cookie: another site %s', async (_, headers) => {
    const { secret } = await loggedIn()

    const answer = await app.as.anonymous.send('PUT', '/api/v2/profile', {
      headers: { ...cookie(secret), ...headers },
      body: { name: 'Mallory' },
    })

    expect([403, 422]).toContain(answer.status)
    expect(await app.db.prisma.user.findUnique({ where: { id: ada.id }, select: { name: true } })).toEqual({ name: 'Ada Park' })
  })

  it.each(fromElsewhere.slice(0, 4))('read anonymously: another site %s', async (_, headers) => {
    const { secret } = await loggedIn()

    expect(await whoIs({ ...cookie(secret), ...headers })).toEqual({ id: null })
  })

  it('cannot log a user in', async () => {
    const one = browser()
    const answer = await one.post('/login', { email: ada.email, password: PASSWORD }, { origin: 'https://elsewhere.example' })

    expect(answer.status).toBe(403)
    expect(one.jar.size).toBe(0)
  })

  it('do not include programs without cookies and origin', async () => {
    const answer = await browser().post('/login', { email: ada.email, password: PASSWORD }, {})

    expect(answer.status).toBe(303)
  })
})

describe('browsers without Sec-Fetch-Site', () => {
  it('send the service’s own forms with their Origin', async () => {
    const one = await loggedIn()

    expect((await one.post('/logout', {}, { origin: 'http://fixpoint.test' })).status).toBe(303)
    expect(await sessions()).toEqual([])
  })

  it('have a referrer policy under which browsers send the origin', async () => {
    expect((await browser().get('/login')).headers['referrer-policy']).toBe('same-origin')
  })
})
