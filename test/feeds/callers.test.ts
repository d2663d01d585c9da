import { beforeEach, describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { FAILURES_FREE_MAX } from '../../src/http/login-throttle/login-throttle.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn, basic, bearer } from '../http/app-on.ts'
import { childrenOf, parseXml, textOf } from './xml.ts'

const ATOM = '/feeds/issues.atom'
const GEOJSON = '/feeds/issues.geojson'
const MINE = '?assigned_to_me=true'
const PASSWORD = 'correct horse'

describe('feeds for callers with credentials', () => {
  const app = useApp()
  let ada: TestUser | undefined
  let mine = 0

  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
    mine = await app.create.issue({ assignee: ada })
    await app.create.issue({ assignee: await app.create.user({ name: 'Ben Stone' }) })
    await app.create.issue()
  })

  const ask = (url: string, headers: Record<string, string> = {}) => app.as.anonymous.send('GET', url, { headers })
  const idsOf = ({ text }: { text: string }) => (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)
  const linksOf = ({ text }: { text: string }) => childrenOf(parseXml(text), 'entry').map((entry) => textOf(entry, 'id'))

  it('filter by the caller as the list does, with a token, a password or a session', async () => {
    const browser = await createLoggedInBrowser(app, ada ?? { id: 0 })
    const callers = [bearer(ada?.token ?? ''), basic(ada?.email ?? '', PASSWORD)]

    for (const headers of callers) {
      const [list, geojson, atom] = [
        await app.as.anonymous.get(`/issues${MINE}`, headers),
        await ask(GEOJSON + MINE, headers),
        await ask(ATOM + MINE, headers),
      ]
      expect((list.body as { issues: { id: number }[] }).issues.map(({ id }) => id)).toEqual([mine])
      expect(idsOf(geojson)).toEqual([mine])
      expect(linksOf(atom)).toEqual([`${PUBLIC_URL}/issues/${mine}`])
    }
    const inBrowser = await browser.send('GET', GEOJSON + MINE)
    expect([inBrowser.status, idsOf(inBrowser)]).toEqual([200, [mine]])
    const anonymous = (await app.as.anonymous.get(`/issues${MINE}`)).body as { issues: { id: number }[] }
    expect(idsOf(await ask(`${GEOJSON}${MINE}&per_page=20`))).toEqual(anonymous.issues.map(({ id }) => id))
  })

  it('are private for an authenticated caller; the same body has the same ETag for everyone', async () => {
    const headers = bearer(ada?.token ?? '')
    const [own, all] = [await ask(ATOM, headers), await ask(ATOM)]
    const again = { 'if-none-match': String(own.headers['etag']) }

    expect(own.text).toBe(all.text)
    expect([own.headers['cache-control'], all.headers['cache-control']]).toEqual(['private, no-cache', 'public, no-cache'])
    expect(own.headers['vary']).toContain('Authorization, Cookie')
    expect([(await ask(ATOM, { ...headers, ...again })).status, (await ask(ATOM, again)).status]).toEqual([304, 304])
  })

  it.each<[string, (person: TestUser | undefined) => Record<string, string>]>([
    ['an unknown token', () => bearer('unknown')],
    ['a wrong password', (person) => basic(person?.email ?? '', 'wrong')],
    ['an unknown scheme', () => ({ authorization: 'Something else' })],
  ])('return 401 for %s, and treat an ended session as anonymous', async (_, wrong) => {
    const refused = await ask(GEOJSON, wrong(ada))

    expect(refused.status).toBe(401)
    expect(refused.body).toMatchObject({ message: 'The credentials are wrong: check them and try again.' })
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="fixpoint", Basic realm="fixpoint", charset="UTF-8"')
    expect((await ask(GEOJSON, { cookie: 'fixpoint_session=ended' })).status).toBe(200)
  })

  it('return 403 for a password that a page of another site makes the browser send', async () => {
    const from = { ...basic(ada?.email ?? '', PASSWORD), 'sec-fetch-site': 'cross-site' }

    expect((await ask(GEOJSON, from)).status).toBe(403)
  })

  it('are not stored for a token in the URL, and do not contain it', async () => {
    const { anonymous } = await appOn(app.db, { PUBLIC_URL: 'https://fixpoint.test', TRUST_PROXY: '1' })
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }

    const answer = await anonymous.send('GET', `${ATOM}${MINE}&access_token=${ada?.token}`, { headers })
    const overHttp = await ask(`${ATOM}?access_token=${ada?.token}`)

    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(answer.text).not.toContain(ada?.token)
    expect(overHttp.status).toBe(401)
  })

  it('throttle wrong passwords together with logins', async () => {
    const one = await appOn(app.db)
    const attempt = () => one.anonymous.send('GET', GEOJSON, { headers: basic(ada?.email ?? '', `guess ${Math.random()}`) })
    const statuses: number[] = []
    while (statuses.length <= FAILURES_FREE_MAX) statuses.push((await attempt()).status)

    const [refused, login] = [await attempt(), await one.anonymous.get('/profile', basic(ada?.email ?? '', 'another guess'))]

    expect(statuses).toEqual(Array<number>(FAILURES_FREE_MAX + 1).fill(401))
    expect(refused.status).toBe(429)
    expect(login.status).toBe(429)
  })
})
