import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { newToken, hashToken } from '../../src/http/identity/credentials.ts'
import { useApp } from '../helpers/use-app.ts'
import { type AppOn, appOn, bearer } from '../http/app-on.ts'

const app = useApp()

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const limited = (env: Record<string, string>) => appOn(app.db, { TRUST_PROXY: '1', ...env })
let count = 0

function register({ anonymous }: AppOn, from: string, { url = '/api/v2/users', email = `r${++count}@example.org` } = {}) {
  const password = 'correct horse'
  const fields = { name: 'Ada Park', email, password, password_confirmation: password, accept_terms: 'true' }
  return anonymous.send('POST', url, {
    headers: { ...FORM, 'x-forwarded-for': from },
    body: new URLSearchParams(fields).toString(),
  })
}

async function registerMany(one: AppOn, times: number, from: string): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await register(one, from)).status)
  return statuses
}

describe('registrations from one client address', () => {
  it('are limited to five an hour or REGISTRATION_LIMIT, then return 429 with Retry-After', async () => {
    const five = await appOn(app.db, { TRUST_PROXY: '1', REGISTRATION_LIMIT: '' })
    const two = await limited({ REGISTRATION_LIMIT: '2' })

    const statuses = await registerMany(five, 6, '203.0.113.7')
    const refused = await register(five, '203.0.113.7')

    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too many accounts were registered from this address within an hour: try again later.' },
    })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500)
    expect((await register(five, '203.0.113.8')).status).toBe(201)
    expect(await registerMany(two, 3, '198.51.100.1')).toEqual([201, 201, 429])
  })

  it('are refused by the API and the page while REGISTRATION_LIMIT is 0', async () => {
    const closed = await limited({ REGISTRATION_LIMIT: '0' })

    const answers = [
      await register(closed, '203.0.113.7'),
      await register(closed, '2001:db8:5::1'),
      await register(closed, '203.0.113.8', { url: '/register' }),
    ]

    expect(answers).toMatchObject(
      answers.map(() => ({
        status: 429,
        body: { message: 'Registration is closed: this service takes no new accounts.' },
      })),
    )
  })

  it.each([
    ['en', 'Registration is closed'],
    ['es', 'El registro está cerrado'],
    ['fr', 'Les inscriptions sont fermées'],
  ])('have no form while REGISTRATION_LIMIT is 0, in the language %s', async (language, text) => {
    const closed = await limited({ REGISTRATION_LIMIT: '0' })

    const page = await closed.anonymous.send('GET', '/register', { headers: { accept: 'text/html', 'accept-language': language } })

    expect(page.status).toBe(200)
    expect(page.text).toContain(text)
    expect(page.text).not.toContain('name="password"')
  })

  it('count together with registrations by the page', async () => {
    const one = await limited({ REGISTRATION_LIMIT: '2' })
    const page = { url: '/register' }

    const statuses = [
      (await register(one, '203.0.113.7', page)).status,
      (await register(one, '203.0.113.7')).status,
      (await register(one, '203.0.113.7', page)).status,
    ]

    expect(statuses).toEqual([303, 201, 429])
  })

  it('do not count if they are invalid', async () => {
    const one = await limited({ REGISTRATION_LIMIT: '2' })
    await register(one, '203.0.113.7', { email: 'ada@example.org' })

    const taken = await register(one, '203.0.113.7', { email: 'no address' })

    expect(taken.status).toBe(422)
    expect(await registerMany(one, 2, '203.0.113.7')).toEqual([201, 429])
  })

  it('do not exceed the limit if they are concurrent', async () => {
    const one = await limited({ REGISTRATION_LIMIT: '2' })

    const answers = await Promise.all(Array.from({ length: 6 }, () => register(one, '203.0.113.7')))

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429])
  })

  it('are possible again after an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const one = await limited({ REGISTRATION_LIMIT: '1' })
    expect(await registerMany(one, 2, '203.0.113.7')).toEqual([201, 429])

    vi.setSystemTime(Date.now() + 3_601_000)

    expect((await register(one, '203.0.113.7')).status).toBe(201)
  })

  it('have ten times the limit in an IPv6 /48 network', async () => {
    const one = await limited({ REGISTRATION_LIMIT: '1' })
    const statuses: number[] = []
    for (let n = 1; n <= 11; n++) statuses.push((await register(one, `2001:db8:5:${n}::1`)).status)

    expect(statuses).toEqual([...Array<number>(10).fill(201), 429])
  })
})

describe('accounts without a confirmed address', () => {
  async function unconfirmed(): Promise<string> {
    const { id } = await app.db.prisma.user.create({ data: { name: 'Resident' } })
    await app.db.prisma.emailAddress.create({ data: { user_id: id, email: `u${id}@example.org` } })
    const token = newToken()
    await app.db.prisma.token.create({ data: { user_id: id, token_hash: hashToken(token) } })
    return token
  }

  it('count against the client address too, so that many accounts share its limit', async () => {
    const { anonymous } = await limited({ RATE_LIMIT: '4' })
    const tokens = [await unconfirmed(), await unconfirmed(), await unconfirmed()]
    const ask = async (token: string) =>
      (await anonymous.get('/profile', { ...bearer(token), 'x-forwarded-for': '203.0.113.7' })).status

    const statuses = []
    for (const token of [...tokens, ...tokens]) statuses.push(await ask(token))

    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })

  it('count separately after an address is confirmed', async () => {
    const { anonymous } = await limited({ RATE_LIMIT: '2' })
    const tokens = [await unconfirmed(), await unconfirmed()]
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() RETURNING id`)

    const statuses = []
    for (const token of [...tokens, ...tokens])
      statuses.push((await anonymous.get('/profile', { ...bearer(token), 'x-forwarded-for': '203.0.113.7' })).status)

    expect(statuses).toEqual([200, 200, 200, 200])
  })
})
