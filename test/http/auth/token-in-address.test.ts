import { describe, expect, it } from 'vitest'

import { parseIssueList, withoutCursor } from '../../helpers/issue-list.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../app-on.ts'

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
})
