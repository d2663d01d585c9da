import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { sql, type Query } from '../../../src/database/database.ts'
import { createCredentialCheck, hashToken } from '../../../src/http/identity/credentials.ts'
import { createTrustedDevices } from '../../../src/http/identity/trusted-devices.ts'
import {
  accountKey,
  createLoginThrottle,
  FAILURES_FREE_MAX,
  PER_CLIENT_DELAY_FAILURES_MAX,
} from '../../../src/http/login-throttle/login-throttle.ts'
import type { Problem } from '../../../src/errors/problems.ts'
import { openRateLimitStore } from '../../../src/http/rate-limit/rate-limit-store.ts'
import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { type AppOn, bearer } from '../app-on.ts'
import {
  attack,
  createCountedCheck,
  enter,
  FORM,
  from,
  attemptLogin,
  OWNER_ADDRESS,
  PASSWORD,
  newAddress,
  startProcess,
} from './attempts.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const counted = () => createCountedCheck(app.db)
const process = (replace = {}, env = {}) => startProcess(app.db, replace, env)
const createAda = () => app.create.user({ name: 'Ada Park', password_hash: 'any' })

describe('login throttle', () => {
  it('returns 429 with Retry-After after twenty failures from many addresses', async () => {
    const ada = await createAda()
    const { verify, credentials } = counted()
    const one = await process({ credentials })

    const statuses = await attack(one, ada.email, FAILURES_FREE_MAX + 1)
    const refused = await attemptLogin(one, ada.email)

    // One attempt above the limit is allowed in each delay.
    expect(statuses).toEqual(Array<number>(FAILURES_FREE_MAX + 1).fill(401))
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too many requests: try again in 60 seconds.' },
      headers: { 'retry-after': '60' },
    })
    expect(verify).toHaveBeenCalledTimes(FAILURES_FREE_MAX + 1)
    expect((await attemptLogin(one, (await app.create.user()).email)).status).toBe(401)
  })

  it('delays the owner at a new address for at most a minute during an attack', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, FAILURES_FREE_MAX + 10)
    const refused = await enter(one, ada.email, from('192.0.2.99'))
    vi.setSystemTime(Date.now() + 59_000)
    await attack(one, ada.email, 5)
    expect((await enter(one, ada.email, from('192.0.2.99'))).status).toBe(429)
    vi.setSystemTime(Date.now() + 1_000)
    await attack(one, ada.email, 5)

    const entered = await enter(one, ada.email, from('192.0.2.99'))

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect(entered.status).toBe(200)
  })

  it('gives each address a turn after a minute, up to a hundred failures a day', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ada = await createAda()
    const { verify, credentials } = counted()
    const one = await process({ credentials })
    const addresses = Array.from({ length: 30 }, newAddress)

    for (let minute = 0; minute < 10; minute++) {
      for (const headers of addresses) await attemptLogin(one, ada.email, headers)
      vi.setSystemTime(Date.now() + 60_001)
    }

    expect(verify.mock.calls.length).toBeGreaterThanOrEqual(PER_CLIENT_DELAY_FAILURES_MAX)
    expect(verify.mock.calls.length).toBeLessThan(PER_CLIENT_DELAY_FAILURES_MAX + 10)
  })

  it('doubles the delay after a hundred failures, up to an hour, for all addresses', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { store } = openRateLimitStore()
    const { countAttempt } = createLoginThrottle(store)
    const tryOnce = () => countAttempt('ada', newAddress()['x-forwarded-for']).catch((error: unknown) => error as Problem)
    await store.penalty('wrong:ada', PER_CLIENT_DELAY_FAILURES_MAX, { customDuration: 86_400 })

    const waits: number[] = []
    while (waits.length < 8) {
      expect(await tryOnce()).toBeUndefined()
      const seconds = Number((await tryOnce())?.headers['retry-after'])
      waits.push(seconds)
      vi.setSystemTime(Date.now() + seconds * 1_000 + 1)
    }

    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
  })

  it('limits concurrent attempts to the free ones', async () => {
    const ada = await createAda()
    const { verify, credentials } = counted()
    const one = await process({ credentials })

    const answers = await Promise.all(Array.from({ length: 60 }, () => attemptLogin(one, ada.email)))

    expect(verify.mock.calls.length).toBeLessThanOrEqual(FAILURES_FREE_MAX + 1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
  })

  it.each([
    ['HTTP Basic', (one: AppOn, email: string) => attemptLogin(one, email)],
    ['POST /tokens', (one: AppOn, email: string) => post(one, '/api/v2/tokens', { email, password: 'guess' })],
    [
      'the password grant',
      (one: AppOn, email: string) =>
        post(one, '/api/v2/oauth/token', { grant_type: 'password', username: email, password: 'guess' }),
    ],
    [
      'the password grant at the root',
      (one: AppOn, email: string) => post(one, '/oauth/token', { grant_type: 'password', username: email, password: 'guess' }),
    ],
    ['the login page', (one: AppOn, email: string) => post(one, '/login', { email, password: 'guess' })],
  ])('counts attempts by %s together with all others', async (_, ask) => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email.toUpperCase(), FAILURES_FREE_MAX + 1)

    const answer = await ask(one, ada.email)

    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50)
  })

  it('takes the same time and returns the same text for unknown accounts', async () => {
    const ada = await createAda()
    const { verify, credentials } = counted()
    let queries = 0
    const query = ((...args: Parameters<Query>) => {
      queries += 1
      return app.db.query(...args)
    }) as Query
    const db = { ...app.db, query }
    const trustedDevices = createTrustedDevices(db)
    // The signing key is read once.
    await trustedDevices.find(ada.id, ['any'])
    const one = await process({
      credentials: { ...createCredentialCheck(db, verify), findCached: credentials.findCached },
      trustedDevices,
    })
    const seen = async (email: string) => {
      const answers = []
      verify.mockClear()
      queries = 0
      while (answers.length < FAILURES_FREE_MAX + 3) {
        const { status, body, headers } = await attemptLogin(one, email)
        answers.push([status, { ...(body as object), request_id: '' }, headers['retry-after'], headers['www-authenticate']])
      }
      return { answers, verified: verify.mock.calls.length, queries }
    }

    const [known, unknown] = [await seen(ada.email), await seen('unknown@example.org')]

    expect(unknown).toEqual(known)
    expect(known.verified).toBe(FAILURES_FREE_MAX + 1)
    expect(known.queries).toBeGreaterThan(FAILURES_FREE_MAX)
  })
})

const post = ({ anonymous }: AppOn, url: string, body: object): Promise<ApiResponse> =>
  anonymous.send('POST', url, {
    body: new URLSearchParams(body as Record<string, string>).toString(),
    headers: { ...FORM, ...newAddress() },
  })

describe('checks of one’s own password', () => {
  const change = (one: AppOn, token: string, current_password: string, headers = newAddress()) => {
    const body = { password: 'battery staple', password_confirmation: 'battery staple', current_password }
    return one.anonymous.send('PUT', '/api/v2/profile', { headers: { ...bearer(token), ...headers }, body })
  }

  it('return 429 after twenty failures with a stolen token, and do not delay the owner’s login', async () => {
    const ada = await app.create.user({ password_hash: 'any' })
    const { verify, credentials } = counted()
    const one = await process({ credentials })
    await enter(one, ada.email, from(OWNER_ADDRESS))
    verify.mockClear()

    for (let n = 0; n < FAILURES_FREE_MAX + 5; n++) await change(one, ada.token, `guess ${n}`)
    const byLogin = await one.anonymous.send('POST', '/api/v2/tokens', {
      headers: { ...bearer(ada.token), ...newAddress() },
      body: { email: ada.email, password: 'guess' },
    })

    expect(verify).toHaveBeenCalledTimes(FAILURES_FREE_MAX + 1)
    expect([(await change(one, ada.token, 'guess')).status, byLogin.status]).toEqual([429, 429])
    expect((await enter(one, ada.email, from('192.0.2.99'))).status).toBe(200)
    expect((await change(one, ada.token, PASSWORD, from(OWNER_ADDRESS))).status).toBe(200)
  })

  it('are not used up by logins', async () => {
    const ada = await app.create.user({ password_hash: 'any' })
    const one = await process({ credentials: counted().credentials })
    const names = [ada.email, `user:${ada.id}`, `own:logged in:${ada.id}`, `own:link:${ada.id}`]
    for (const email of names) await attack(one, email, FAILURES_FREE_MAX + 5)
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = NULL WHERE user_id = ${ada.id} RETURNING id`)
    const [email] = await queryRows<{ id: number }>(app.db, sql`SELECT e.id FROM email_addresses e WHERE e.user_id = ${ada.id}`)
    const expires_at = new Date(Date.now() + 60_000)
    await app.db.prisma.oneTimeToken.create({
      data: {
        user_id: ada.id,
        email_address_id: email?.id ?? 0,
        purpose: 'confirm_email',
        token_hash: hashToken('link'),
        expires_at,
      },
    })

    const confirmed = await one.anonymous.send('POST', '/api/v2/emails/confirm', {
      headers: newAddress(),
      body: { token: 'link', password: PASSWORD },
    })

    expect(confirmed.status).toBe(200)
    expect((await change(one, ada.token, PASSWORD)).status).toBe(200)
  })
})

describe('accountKey', () => {
  it.each([
    ['ADA@example.org'],
    ['ada@EXAMPLE.org'],
    ['\u212Aada@example.org', 'kada@example.org'],
    ['İda@example.org', 'ida@example.org'],
    ['é@example.org', 'e\u0301@example.org'],
  ])('is the same for every spelling of %s', (written, other = 'ada@example.org') => {
    expect(accountKey(written)).toBe(accountKey(other))
    expect(accountKey(written)).not.toContain('@')
  })

  it('differs between addresses', () => {
    expect(accountKey('ada@example.org')).not.toBe(accountKey('ben@example.org'))
  })
})

describe('uncountAttempt', () => {
  it('removes the attempt', async () => {
    const { store } = openRateLimitStore()
    const { countAttempt, uncountAttempt } = createLoginThrottle(store)

    for (let n = 0; n < FAILURES_FREE_MAX * 3; n++) {
      await countAttempt('ada', 'address:203.0.113.7')
      await uncountAttempt('ada')
    }

    expect((await store.get('wrong:ada'))?.consumedPoints).toBe(0)
  })
})
