import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { createCredentialCheck } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../app-on.ts'

const app = useApp()

/** Starts an app with a limit a minute behind one proxy, so that requests can come from any address. */
const limited = (limit: number, replace = {}) => appOn(app.db, { RATE_LIMIT: String(limit), TRUST_PROXY: '1' }, replace)
const from = (address: string) => ({ 'x-forwarded-for': address })
const HERE = from('203.0.113.7')
const ELSEWHERE = from('198.51.100.9')

const remaining = ({ headers }: ApiResponse) => Number(/^"default";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1])

async function repeated(times: number, ask: () => Promise<ApiResponse>): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await ask()).status)
  return statuses
}

const all = (count: number, status: number) => Array<number>(count).fill(status)

function stoppedClock(): { pass: (seconds: number) => void } {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1_000) }
}

describe('every response under /api/v2', () => {
  it('counts and reports the remaining requests', async () => {
    const issue = await app.create.issue()
    const { anonymous } = await limited(100)
    const first = await anonymous.get(`/issues/${issue}`, HERE)
    const get = (path: string, headers = {}) => anonymous.get(path, { ...HERE, ...headers })
    const post = (path: string, headers: Record<string, string>, body: string) =>
      anonymous.send('POST', `/api/v2${path}`, { headers: { ...HERE, ...headers }, body })

    const answers = [
      first,
      await get(`/issues/${issue}`, { 'if-none-match': String(first.headers['etag']) }),
      await anonymous.send('HEAD', `/api/v2/issues/${issue}`, { headers: HERE }),
      await get('/issues?sort=beauty'),
      await get('/issues/999999'),
      await get('/nothing'),
      await get('/%zz'),
      await get(`/issues?search=${'x'.repeat(9_000)}`),
      await get('/users'),
      await get('/issues', bearer('fxp_unknown')),
      await get('/issues', { 'user-agent': '' }),
      await get('/issues', { ...basic('ada@example.org', 'guess'), origin: 'https://elsewhere.example' }),
      await post('/issues/new', { 'content-type': 'application/json' }, '{'),
      await post('/issues/new', {}, ''),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 304, 200, 422, 404, 404, 400, 414, 400, 401, 403, 403, 400, 405])
    // The 304 is not counted.
    expect(answers.map(remaining)).toEqual([99, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87])
    expect(new Set(answers.map(({ headers }) => headers['ratelimit-policy']))).toEqual(new Set(['"default";q=100;w=60']))
  })

  it('is 429 with Retry-After over the limit, until the window ends', async () => {
    const clock = stoppedClock()
    const { anonymous } = await limited(3)
    const ask = () => anonymous.get('/issues', HERE)
    expect(await repeated(3, ask)).toEqual(all(3, 200))
    clock.pass(39.118)

    const refused = await ask()

    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too many requests: try again in 21 seconds.', documentation_url: 'http://fixpoint.test/docs' },
      headers: { 'retry-after': '21', ratelimit: '"default";r=0;t=21', 'ratelimit-policy': '"default";q=3;w=60' },
    })
    clock.pass(21)
    expect(await repeated(4, ask)).toEqual([200, 200, 200, 429])
  })

  it('is counted, unlike responses outside the API', async () => {
    const { anonymous } = await limited(1)

    const answers = await Promise.all(
      ['/health/live', '/docs/json', '/files/icons/avatar.svg', '/nothing'].map((url) =>
        anonymous.send('GET', url, { headers: HERE }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404])
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe('the rate limit', () => {
  it('counts anonymous callers by address and users by account', async () => {
    const ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword('correct horse') })
    const ben = await app.create.user()
    const { anonymous } = await limited(3)
    const asAda = [bearer(ada.token), basic(ada.email, 'correct horse'), basic(ada.email.toUpperCase(), 'correct horse')]

    const adaResponses = await Promise.all(
      [...asAda, bearer(ada.token)].map((headers) => anonymous.get('/profile', { ...headers, ...HERE })),
    )
    const benResponse = await anonymous.get('/profile', { ...bearer(ben.token), ...HERE })
    const anonymousResponse = await anonymous.get('/profile', HERE)

    expect(adaResponses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
    expect([benResponse, anonymousResponse].map(({ status }) => status)).toEqual([200, 200])
    expect([benResponse, anonymousResponse].map(remaining)).toEqual([2, 2])
  })

  it('counts wrong credentials by address, for any number of accounts', async () => {
    const people = [await app.create.user(), await app.create.user(), await app.create.user()]
    const { anonymous } = await limited(2)

    const attempts = []
    for (const { email } of people) attempts.push(await anonymous.get('/issues', { ...basic(email, 'guess'), ...HERE }))
    const elsewhere = await anonymous.get('/issues', { ...basic('ada@example.org', 'guess'), ...ELSEWHERE })

    expect(attempts.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(elsewhere.status).toBe(401)
  })

  it('verifies no more concurrent attempts than allowed', async () => {
    const verify = vi.fn(async () => false)
    const { anonymous } = await limited(5, { credentials: createCredentialCheck(app.db, verify) })

    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => anonymous.get('/issues', { ...basic('ada@example.org', `guess ${n}`), ...HERE })),
    )

    expect(answers.filter(({ status }) => ![401, 429].includes(status))).toEqual([])
    expect(verify).toHaveBeenCalledTimes(5)
  })

  it('does not count right credentials against the address', async () => {
    const ada = await app.create.user({ password_hash: await hashPassword('correct horse') })
    const { anonymous } = await limited(3)
    await anonymous.get('/issues', { ...basic(ada.email, 'correct horse'), ...HERE })
    await anonymous.get('/issues', { ...bearer(ada.token), ...HERE })

    expect(remaining(await anonymous.get('/issues', HERE))).toBe(2)
  })

  it('counts right credentials by user only, even if the address is over the limit', async () => {
    const password_hash = await hashPassword('correct horse')
    const [ada, ben] = [await app.create.user({ password_hash }), await app.create.user()]
    const { anonymous } = await limited(3)
    const ask = (credentials: Record<string, string>) => anonymous.get('/issues', { ...credentials, ...HERE })
    await repeated(14, () => ask({}))

    expect(await repeated(4, () => ask(basic(ada.email, 'correct horse')))).toEqual([200, 200, 200, 429])
    expect(await repeated(4, () => ask(bearer(ben.token)))).toEqual([200, 200, 200, 429])
    expect((await ask({})).status).toBe(403)
  })

  it('lets trusted devices log in during an attack from their address', async () => {
    const password_hash = await hashPassword('correct horse')
    const [ada, ben] = [await app.create.user({ password_hash }), await app.create.user({ password_hash })]
    const { anonymous } = await limited(3, { credentials: { ...createCredentialCheck(app.db), findCached: async () => undefined } })
    const ask = (credentials: Record<string, string>) => anonymous.get('/issues', { ...credentials, ...HERE })
    await ask(basic(ada.email, 'correct horse'))
    await ask(bearer(ada.token))
    await repeated(14, () => ask(basic('unknown@example.org', `guess ${Math.random()}`)))

    expect((await ask(basic(ben.email, 'correct horse'))).status).toBe(403)
    expect((await ask(basic(ada.email.toUpperCase(), 'correct horse'))).status).toBe(200)
    expect((await ask(bearer(ada.token))).status).toBe(429)
  })

  it('limits attempts at an exhausted address, but not requests with verified credentials', async () => {
    const { email } = await app.create.user()
    const verify = vi.fn(async (_hash: string, password: string) => {
      // All requests with the right password arrive during the first check.
      if (password === 'correct horse') await pause(500)
      return password === 'correct horse'
    })
    await app.db.prisma.user.updateMany({ data: { password_hash: 'any' } })
    const { anonymous } = await limited(5, { credentials: createCredentialCheck(app.db, verify) })
    const ask = (password: string) => anonymous.get('/profile', { ...basic(email, password), ...HERE })
    await repeated(16, () => anonymous.get('/issues', HERE))

    const right = await Promise.all(Array.from({ length: 12 }, () => ask('correct horse')))
    const checkedOnce = verify.mock.calls.length
    const attempts = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(`guess ${n}`)))

    expect(right.map(({ status }) => status).sort()).toEqual([...all(5, 200), ...all(7, 429)])
    expect(checkedOnce).toBe(1)
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([403]))
    expect(verify).toHaveBeenCalledTimes(1 + 5)
  })

  it('limits lookups of unknown tokens by address', async () => {
    const check = createCredentialCheck(app.db)
    const byToken = vi.fn(check.byToken)
    const ada = await app.create.user()
    const { anonymous } = await limited(4, { credentials: { ...check, byToken } })
    const ask = (token: string) => anonymous.get('/issues', { ...bearer(token), ...HERE })
    await ask(ada.token)

    const statuses = await repeated(20, () => ask(`fxp_${Math.random()}`))

    expect(statuses).toEqual([...all(4, 401), ...all(10, 429), ...all(6, 403)])
    expect(byToken).toHaveBeenCalledTimes(1 + 4)
    expect((await ask(ada.token)).status).toBe(200)
  })
})

describe('a client that continues after ten 429s', () => {
  it('is blocked with 403 for an hour, which further requests do not extend', async () => {
    const clock = stoppedClock()
    const { anonymous } = await limited(2)
    const ask = () => anonymous.get('/issues', HERE)

    expect(await repeated(12, ask)).toEqual([...all(2, 200), ...all(10, 429)])
    const blocked = await ask()
    clock.pass(3_500)
    const stillBlocked = await ask()
    clock.pass(101)

    expect(blocked).toMatchObject({
      status: 403,
      body: { message: 'This client is blocked for an hour because it kept sending requests above the limit.' },
      headers: { 'retry-after': '3600', ratelimit: '"default";r=0;t=3600' },
    })
    expect(stillBlocked).toMatchObject({ status: 403, headers: { 'retry-after': '100' } })
    expect(await repeated(3, ask)).toEqual([200, 200, 429])
  })

  it.each([
    ['by wrong passwords', () => basic('ada@example.org', `guess ${Math.random()}`)],
    ['by wrong tokens', () => bearer(`fxp_${Math.random()}`)],
    ['by credentials that cannot be read', () => ({ authorization: 'Digest username="ada"' })],
  ])('is blocked if it continues %s', async (_, credentials) => {
    await app.create.user()
    const { anonymous } = await limited(2)

    const statuses = await repeated(14, () => anonymous.get('/issues', { ...credentials(), ...HERE }))
    const blocked = await anonymous.get('/issues', { ...credentials(), ...HERE })

    expect(statuses).toEqual([...all(2, 401), ...all(10, 429), ...all(2, 403)])
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(3_500)
    expect((await anonymous.get('/issues', HERE)).status).toBe(403)
    expect((await anonymous.get('/issues', { ...credentials(), ...ELSEWHERE })).status).toBe(401)
  })

  it.each([
    ['different wrong passwords', (n: number) => basic('ada@example.org', `guess ${n}`)],
    ['different wrong tokens', (n: number) => bearer(`fxp_${n}`)],
    ['one wrong password', () => basic('ada@example.org', 'guess')],
    ['none', () => ({})],
  ])('receives ten 429s before the block, also for concurrent requests with %s', async (_, credentials) => {
    const { anonymous } = await limited(20, { credentials: createCredentialCheck(app.db, async () => false) })
    const crowd = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => anonymous.get('/issues?per_page=1', { ...credentials(n), ...HERE })))

    const statuses = [...(await crowd(25)), ...(await crowd(35))].map(({ status }) => status)

    const counted = (...wanted: number[]) => statuses.filter((status) => wanted.includes(status)).length
    expect([counted(200, 401), counted(429), counted(403)]).toEqual([20, 10, 30])
  })

  it('receives ten 429s in total for all kinds of requests', async () => {
    const { anonymous } = await limited(2)
    const attempt = () => anonymous.get('/issues', { ...basic('ada@example.org', `guess ${Math.random()}`), ...HERE })

    expect(await repeated(7, attempt)).toEqual([...all(2, 401), ...all(5, 429)])
    expect(await repeated(6, () => anonymous.get('/issues', HERE))).toEqual([...all(5, 429), 403])
    expect((await attempt()).status).toBe(403)
  })

  it('does not block others', async () => {
    const ada = await app.create.user()
    const { anonymous } = await limited(2)

    await repeated(13, () => anonymous.get('/issues', HERE))

    expect((await anonymous.get('/issues', ELSEWHERE)).status).toBe(200)
    expect((await anonymous.get('/issues', { ...HERE, ...bearer(ada.token) })).status).toBe(200)
  })

  it('is not blocked if the ten fall into two windows', async () => {
    const clock = stoppedClock()
    const { anonymous } = await limited(2)
    const ask = () => anonymous.get('/issues', HERE)

    await repeated(10, ask)
    clock.pass(61)

    expect(await repeated(12, ask)).toEqual([...all(2, 200), ...all(10, 429)])
  })
})
