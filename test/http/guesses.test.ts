import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { type Sql, sql } from '../../src/database/database.ts'
import { credentialCheck, hashToken } from '../../src/http/credentials.ts'
import { familiarClients } from '../../src/http/familiar-clients.ts'
import { accountName, guessesOf, WRONG_FREE } from '../../src/http/guesses.ts'
import { openRateLimitStore } from '../../src/http/rate-limit-store.ts'
import { browserOn } from '../helpers/browser.ts'
import type { Answer } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'
import { type AppOn, appOn, basic, bearer } from './app-on.ts'

const it = useApp()

const PASSWORD = 'correct horse'
const OWNERS = '203.0.113.7'

/** The cost of argon2 does not matter here, how often it is asked does. */
function counted() {
  const verify = vi.fn(async (_hash: string, password: string) => password === PASSWORD)
  const check = credentialCheck(it.db, verify)
  return { verify, credentials: { ...check, recall: async () => undefined } }
}

const process = (replace = {}, env = {}) => appOn(it.db, { TRUST_PROXY: '1', RATE_LIMIT: '1000', ...env }, replace)
const from = (address: string) => ({ 'x-forwarded-for': address })
let address = 0
const somewhere = () => from(`198.51.${Math.floor(++address / 250) % 250}.${(address % 250) + 1}`)

const guess = ({ nobody }: AppOn, email: string, headers: Record<string, string> = somewhere()) =>
  nobody.get('/profile', { ...basic(email, `guess ${Math.random()}`), ...headers })
const enter = ({ nobody }: AppOn, email: string, headers: Record<string, string>) =>
  nobody.get('/profile', { ...basic(email, PASSWORD), ...headers })

async function attack(one: AppOn, email: string, times = WRONG_FREE): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await guess(one, email)).status)
  return statuses
}

const givenAda = () => it.given.user({ name: 'Ada Park', password_hash: 'any' })
describe('guesses at one account', () => {
  test('from ever other addresses are refused after twenty, with the reason and the time to wait', async () => {
    const ada = await givenAda()
    const { verify, credentials } = counted()
    const one = await process({ credentials })

    const statuses = await attack(one, ada.email, WRONG_FREE + 1)
    const refused = await guess(one, ada.email)

    // The first one beyond is the one that is let through for this wait.
    expect(statuses).toEqual(Array<number>(WRONG_FREE + 1).fill(401))
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too many requests: try again in 60 seconds.' },
      headers: { 'retry-after': '60' },
    })
    expect(verify).toHaveBeenCalledTimes(WRONG_FREE + 1)
    expect((await guess(one, (await it.given.user()).email)).status).toBe(401)
  })

  test('wait twice as long each time, up to an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ada = await givenAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email)

    const waits: number[] = []
    while (waits.length < 8) {
      expect((await guess(one, ada.email)).status).toBe(401)
      const refused = await guess(one, ada.email)
      expect(refused.status).toBe(429)
      waits.push(Number(refused.headers['retry-after']))
      vi.setSystemTime(Date.now() + Number(refused.headers['retry-after']) * 1_000 + 1)
    }

    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
  })

  test('that come at one moment are no more than the free ones', async () => {
    const ada = await givenAda()
    const { verify, credentials } = counted()
    const one = await process({ credentials })

    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(one, ada.email)))

    expect(verify.mock.calls.length).toBeLessThanOrEqual(WRONG_FREE + 1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
  })

  test.each([
    ['HTTP Basic', (one: AppOn, email: string) => guess(one, email)],
    ['POST /tokens', (one: AppOn, email: string) => post(one, '/api/v2/tokens', { email, password: 'guess' })],
    [
      'the password grant',
      (one: AppOn, email: string) =>
        post(one, '/api/v2/oauth/token', { grant_type: 'password', username: email, password: 'guess' }),
    ],
    ['the login page', (one: AppOn, email: string) => post(one, '/login', { email, password: 'guess' })],
  ])('by %s are counted together with all others', async (_, ask) => {
    const ada = await givenAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email.toUpperCase(), WRONG_FREE + 1)

    const answer = await ask(one, ada.email)

    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50)
  })

  test('cost and say the same whether there is such an account or not', async () => {
    const ada = await givenAda()
    const { verify, credentials } = counted()
    let queries = 0
    const query = <Row>(statement: Sql) => {
      queries += 1
      return it.db.query<Row>(statement)
    }
    const db = { ...it.db, query }
    const one = await process({
      credentials: { ...credentialCheck(db, verify), recall: credentials.recall },
      familiar: familiarClients(db),
    })
    const seen = async (email: string) => {
      const answers = []
      verify.mockClear()
      queries = 0
      while (answers.length < WRONG_FREE + 3) {
        const { status, body, headers } = await guess(one, email)
        answers.push([status, { ...(body as object), request_id: '' }, headers['retry-after'], headers['www-authenticate']])
      }
      return { answers, verified: verify.mock.calls.length, queries }
    }

    const [known, unknown] = [await seen(ada.email), await seen('nobody@example.org')]

    expect(unknown).toEqual(known)
    expect(known.verified).toBe(WRONG_FREE + 1)
    expect(known.queries).toBeGreaterThan(WRONG_FREE)
  })
})

const post = ({ nobody }: AppOn, url: string, body: object): Promise<Answer> =>
  nobody.send('POST', url, {
    body: new URLSearchParams(body as Record<string, string>).toString(),
    headers: { ...FORM, ...somewhere() },
  })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('whoever was right lately', () => {
  test('at their address gets in there while others guess, also after a restart and at another process', async () => {
    const ada = await givenAda()
    const before = await process({ credentials: counted().credentials })
    await enter(before, ada.email, from(OWNERS))
    const after = await process({ credentials: counted().credentials })
    await attack(after, ada.email, WRONG_FREE + 5)

    expect((await enter(after, ada.email, from('192.0.2.99'))).status).toBe(429)
    expect((await enter(after, ada.email, from(OWNERS))).status).toBe(200)
    expect((await guess(after, ada.email, from(OWNERS))).status).toBe(401)
    expect((await enter(after, ada.email, from(OWNERS))).status).toBe(200)
  })

  test.each(['/api/v2/users', '/register'])(
    'where they registered gets in there with the password they chose: POST %s',
    async (url) => {
      const one = await process({ credentials: counted().credentials })
      const body = `name=Eva Sol&email=eva@example.org&password=${PASSWORD}&password_confirmation=${PASSWORD}&accept_terms=true`
      const headers = { ...FORM, ...from(OWNERS), 'sec-fetch-site': 'same-origin' }
      const { status } = await one.nobody.send('POST', url, { body, headers })
      await attack(one, 'eva@example.org', WRONG_FREE + 5)

      expect([201, 303]).toContain(status)
      expect((await enter(one, 'eva@example.org', from('192.0.2.99'))).status).toBe(429)
      expect((await enter(one, 'eva@example.org', from(OWNERS))).status).toBe(200)
    },
  )

  test('in a browser gets in with it from any address, and nobody else does with a made-up one', async () => {
    const ada = await givenAda()
    const one = await process({ credentials: counted().credentials })
    const browser = browserOn(one.app)
    const logIn = (headers: Record<string, string>) =>
      browser.post('/login', { email: ada.email, password: PASSWORD }, { 'sec-fetch-site': 'same-origin', ...headers })
    await logIn(from(OWNERS))
    await browser.post('/logout')
    await attack(one, ada.email, WRONG_FREE + 5)

    const onTheWay = await logIn(from('192.0.2.44'))
    await browser.post('/logout')
    browser.jar.set('fixpoint_device', 'x'.repeat(43))
    const strange = await logIn(from('192.0.2.45'))

    expect(onTheWay.status).toBe(303)
    expect(strange.status).toBe(429)
    expect(strange.words).toContain('Too many requests: try again in')
  })

  test('is let in by token or session all the time, and may change the password there', async () => {
    const ada = await it.given.user({ password_hash: 'any' })
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, WRONG_FREE + 5)

    const mine = { ...bearer(ada.token), ...somewhere() }
    const body = { password: 'battery staple', password_confirmation: 'battery staple', current_password: PASSWORD }

    expect((await one.nobody.get('/profile', mine)).status).toBe(200)
    expect((await one.nobody.send('PUT', '/api/v2/profile', { headers: mine, body })).status).toBe(200)
  })

  test('and only claims an address that is the login of another is a stranger there', async () => {
    const [ada, mallory] = [await givenAda(), await givenAda()]
    const one = await process({ credentials: counted().credentials })
    await it.db.query(sql`
      INSERT INTO emails (user_id, email, created_at) VALUES (${mallory.id}, ${ada.email}, now() - interval '4 days') RETURNING id`)
    await enter(one, mallory.email, from(OWNERS))
    await attack(one, ada.email, WRONG_FREE + 5)

    expect((await guess(one, ada.email, from(OWNERS))).status).toBe(429)
  })

  test('with an account of their own is no less a stranger to that of another', async () => {
    const [ada, mallory] = [await givenAda(), await it.given.user()]
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, WRONG_FREE + 5)
    const body = { email: ada.email, password: 'guess' }

    const answer = await one.nobody.send('POST', '/api/v2/tokens', { headers: { ...bearer(mallory.token), ...somewhere() }, body })

    expect(answer.status).toBe(429)
  })

  test('into the mails of the account gets in, after a new password by a link', async () => {
    const ada = await givenAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, WRONG_FREE + 5)
    const [email] = await it.db.query<{ id: number }>(sql`SELECT e.id FROM emails e WHERE e.user_id = ${ada.id}`)
    const expires_at = new Date(Date.now() + 60_000)
    const link = { user_id: ada.id, email_id: email?.id ?? 0, purpose: 'reset_password', token_hash: hashToken('link'), expires_at }
    await it.db.prisma.oneTimeToken.create({ data: link })
    const body = { token: 'link', password: PASSWORD, password_confirmation: PASSWORD }
    const headers = from('192.0.2.77')

    expect((await enter(one, ada.email, headers)).status).toBe(429)
    expect((await one.nobody.send('POST', '/api/v2/passwords/reset', { headers, body })).status).toBe(204)
    expect((await enter(one, ada.email, headers)).status).toBe(200)
  })

  test('is known by hashes only, in twenty places', async () => {
    const ada = await givenAda()
    const one = await process({ credentials: counted().credentials })
    for (let n = 0; n < 22; n++) await enter(one, ada.email, somewhere())

    const noted = await it.db.query<{ mark: string }>(sql`SELECT f.mark FROM familiar_clients f WHERE f.user_id = ${ada.id}`)

    expect(noted).toHaveLength(20)
    expect(noted.filter(({ mark }) => !/^[0-9a-f]{64}$/.test(mark))).toEqual([])
  })

  test('also where the database takes no writes just now', async () => {
    const ada = await givenAda()
    const { credentials, familiar } = { ...counted(), familiar: it.services.familiar }
    const one = await process({ credentials, familiar: { ...familiar, note: () => Promise.reject(new Error('read only')) } })

    expect((await enter(one, ada.email, from(OWNERS))).status).toBe(200)
    expect(one.logged).toContainEqual(expect.objectContaining({ msg: 'a familiar address could not be noted' }))
  })
})

describe('the name of an account', () => {
  test.each([
    ['ADA@example.org'],
    ['ada@EXAMPLE.org'],
    ['\u212Aada@example.org', 'kada@example.org'],
    ['İda@example.org', 'ida@example.org'],
    ['é@example.org', 'e\u0301@example.org'],
  ])('is one for every way to write %s', (written, other = 'ada@example.org') => {
    expect(accountName(written)).toBe(accountName(other))
    expect(accountName(written)).not.toContain('@')
  })

  test('is another for another', () => {
    expect(accountName('ada@example.org')).not.toBe(accountName('ben@example.org'))
  })
})

describe('a try that was taken back', () => {
  test('is none', async () => {
    const { store } = openRateLimitStore(1000, {})
    const { begin, takeBack } = guessesOf(store)

    for (let n = 0; n < WRONG_FREE * 3; n++) {
      await begin('ada')
      await takeBack('ada')
    }

    expect((await store.get('wrong:ada'))?.consumedPoints).toBe(0)
  })
})
