import { describe, expect, it } from 'vitest'

import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { addSession } from '../../src/http/identity/session-queries.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, basic, bearer } from '../http/app-on.ts'
import { OPS_TOKEN } from './ops-app.ts'

const app = useApp({ env: { OPS_TOKEN } })
const ADDRESSES = ['/metrics', '/ops', '/ops/dead-letters']

async function statuses(ask: (url: string, headers: Record<string, string>) => Promise<{ status: number }>, headers = {}) {
  return Promise.all(ADDRESSES.map(async (url) => (await ask(url, headers)).status))
}

describe('GET /metrics and /ops', () => {
  const get = (url: string, headers: Record<string, string> = {}) => app.as.anonymous.send('GET', url, { headers })

  it('returns 401 with a Basic and a Bearer challenge to anonymous callers', async () => {
    const answer = await get('/metrics')

    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toEqual(['Basic realm="fixpoint", charset="UTF-8"', 'Bearer realm="fixpoint"'])
    expect(answer.headers['cache-control']).toBe('private, no-store')
    expect(await statuses(get)).toEqual([401, 401, 401])
  })

  it('leads a browser without credentials to the login, unless it asks for the password', async () => {
    const browser = { accept: 'text/html' }
    const [page, prompt] = [await get('/ops', browser), await get('/ops?prompt=basic', browser)]

    expect([page.status, page.headers['location']]).toEqual([303, '/login?return_to=%2Fops'])
    expect([prompt.status, prompt.headers['www-authenticate']]).toEqual([401, expect.arrayContaining(['Bearer realm="fixpoint"'])])
  })

  it('allows an Admin and refuses a moderator', async () => {
    const organization = await app.create.organization()
    const admin = await app.create.user({ role: 'Admin' })
    const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })

    expect(await statuses(get, bearer(admin.token))).toEqual([200, 200, 200])
    expect(await statuses(get, bearer(moderator.token))).toEqual([403, 403, 403])
  })

  it('allows the session of an Admin unless the request is cross-site', async () => {
    const admin = await app.create.user({ role: 'Admin' })
    const secret = newSecret()
    await addSession(app.db, { id: admin.id, credentialsVersion: 1 }, hashToken(secret))
    const cookie = { cookie: `fixpoint_session=${secret}` }

    expect(await statuses(get, cookie)).toEqual([200, 200, 200])
    expect((await get('/ops', { ...cookie, 'sec-fetch-site': 'none' })).status).toBe(200)
    expect((await get('/ops', { ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  })

  it('allows OPS_TOKEN as a bearer token and as the password of the user ops', async () => {
    expect(await statuses(get, bearer(OPS_TOKEN))).toEqual([200, 200, 200])
    expect(await statuses(get, basic('ops', OPS_TOKEN))).toEqual([200, 200, 200])
    expect((await get('/ops', { ...basic('ops', OPS_TOKEN), 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  it.each([
    ['another token', bearer(`${OPS_TOKEN}.`)],
    ['a part of OPS_TOKEN', bearer(OPS_TOKEN.slice(0, -1))],
    ['another password', basic('ops', 'something else')],
    ['OPS_TOKEN as the password of another user name', basic('operator', OPS_TOKEN)],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('refuses %s', async (_, headers) => {
    expect(await statuses(get, headers)).toEqual([401, 401, 401])
  })

  it('refuses OPS_TOKEN and an empty password if OPS_TOKEN is not configured', async () => {
    const without = await appOn(app.db)
    const ask = (headers: Record<string, string>) => without.anonymous.send('GET', '/metrics', { headers })

    expect((await ask(bearer(OPS_TOKEN))).status).toBe(401)
    expect((await ask(basic('ops', ''))).status).toBe(401)
  })

  it('limits wrong tokens per client but never the right one', async () => {
    const slow = await appOn(app.db, { OPS_TOKEN, RATE_LIMIT: '3' })
    const ask = (token: string) => slow.anonymous.send('GET', '/metrics', { headers: bearer(token) })

    const right = [await ask(OPS_TOKEN), await ask(OPS_TOKEN), await ask(OPS_TOKEN), await ask(OPS_TOKEN)]
    const wrong = [await ask('wrong 1'), await ask('wrong-2'), await ask('wrong-3'), await ask('wrong-4'), await ask('wrong-5')]

    expect(right.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429])
    expect((await ask(OPS_TOKEN)).status).toBe(200)
  })

  it('refuses a cross-site write', async () => {
    const headers = { ...bearer(OPS_TOKEN), 'sec-fetch-site': 'cross-site' }

    const answer = await app.as.anonymous.send('POST', '/ops/dead-letters/1/notify/retry', { headers })

    expect(answer.status).toBe(403)
  })
})
