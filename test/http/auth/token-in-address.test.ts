import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { parseIssueList, withoutCursor } from '../../helpers/issue-list.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'

/** `access_token` is for old clients that can send no header. */
describe('access_token in the query', () => {
  const app = useApp()
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }

  const ask = async (path: string, headers: Record<string, string> = https, env: Record<string, string> = { TRUST_PROXY: '1' }) => {
    const { anonymous, logged } = await appOn(app.db, env)
    return { ...(await anonymous.get(path, headers)), logged: JSON.stringify(logged) }
  }

  it('authenticates over HTTPS, and the response is not cacheable', async () => {
    const ada = await app.create.user()

    const answer = await ask(`/profile?access_token=${ada.token}`)

    expect(answer).toMatchObject({ status: 200, body: { id: ada.id }, headers: { 'cache-control': 'private, no-store' } })
  })

  it('is absent from returned URLs and from the log', async () => {
    const ada = await app.create.user()
    await app.create.issue()
    await app.create.issue()

    const answer = await ask(`/issues?per_page=1&access_token=${ada.token}&x=y`)

    expect(withoutCursor(parseIssueList(answer).pagination.next_page_url)).toBe(
      'http://fixpoint.test/api/v2/issues?page=2&per_page=1&x=y',
    )
    expect(answer.text).not.toContain(ada.token)
    expect(answer.logged).toContain('"path":"/api/v2/issues"')
    expect(answer.logged).not.toContain(ada.token)
  })

  it.each([
    ['over plain HTTP', { 'x-forwarded-proto': 'http' }, { TRUST_PROXY: '1' }],
    ['where no proxy is trusted to say that it is HTTPS', https, {}],
  ])('is refused %s', async (_, headers, env) => {
    const ada = await app.create.user()

    const answer = await ask(`/profile?access_token=${ada.token}`, headers, env)

    expect(answer).toMatchObject({
      status: 401,
      headers: { 'cache-control': 'private, no-store' },
      body: { message: 'The access_token parameter is accepted over HTTPS only: send the token as Authorization: Bearer.' },
    })
  })

  it.each(['access_token=', 'access_token=fxp_unknown', 'access_token=fxp_one&access_token=fxp_two'])(
    'returns 401 for a wrong token: %s',
    async (query) => {
      expect(await ask(`/profile?${query}`)).toMatchObject({ status: 401 })
    },
  )

  it('yields to the header', async () => {
    const [ada, ben] = [await app.create.user(), await app.create.user()]

    const answer = await ask(`/profile?access_token=${ada.token}`, { ...https, authorization: `Bearer ${ben.token}` })

    expect(answer).toMatchObject({ body: { id: ben.id }, headers: { 'cache-control': 'private, no-store' } })
  })

  it.each(['Access_Token', 'access-token', 'access_tokn', 'accessToken', 'access_token[]', 'acess_token', 'access_token[0]'])(
    'is 422 if it is misspelt as %s, also with other credentials, and its value is not logged',
    async (name) => {
      const ada = await app.create.user()
      const paths = [
        '/api/v2/issues',
        '/api/v2/profile',
        '/feeds/issues.geojson',
        '/exports/issues.csv',
        '/open311/v2/requests.json',
      ]
      const { anonymous, logged } = await appOn(app.db, { TRUST_PROXY: '1' })
      const query = `${encodeURIComponent(name)}=${ada.token}`

      const reads = await Promise.all(
        paths.map((path) => anonymous.send('GET', `${path}?${query}`, { headers: { ...https, ...bearer(ada.token) } })),
      )
      const write = await anonymous.send('POST', `/api/v2/issues/1/vote?${query}`, {
        headers: { ...https, 'idempotency-key': 'one' },
      })
      const ogc = await anonymous.send('GET', `/ogc/collections?${query}`, { headers: https })

      expect([...reads, write].map(({ status }) => status)).toEqual([422, 422, 422, 422, 400, 422])
      expect(ogc.status).toBe(400)
      for (const { text } of [...reads, write, ogc]) expect(text).toContain('did you mean access_token?')
      expect(JSON.stringify([logged, ...reads, write, ogc].map((one) => ('text' in one ? one.text : one)))).not.toContain(ada.token)
      expect(await queryRows(app.db, sql`SELECT k.* FROM idempotency_keys k`)).toEqual([])
    },
  )

  it.each(['access_token', 'Access_Token', 'access-token', 'access_token[0]'])(
    'is absent from the page after a login, in the spelling %s',
    async (name) => {
      const { anonymous } = await appOn(app.db)

      const page = await anonymous.send('GET', `/account?${name}=secret&x=y`, { headers: { accept: 'text/html' } })

      expect([page.status, page.headers['location']]).toEqual([303, '/login?return_to=%2Faccount%3Fx%3Dy'])
    },
  )
})
