import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { type TestUser } from '../../helpers/factories.ts'
import { parseIssueList, withoutCursor } from '../../helpers/issue-list.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../app-on.ts'

const app = useApp({ keepRows: true, ownApp: true })
const PASSWORD = 'correct horse'
let ada: TestUser
let issue: number

beforeAll(async () => {
  ada = await app.create.user({ password_hash: await hashPassword(PASSWORD) })
  await app.create.place({ url_name: 'denver' })
  issue = await app.create.issue({ reporter: ada })
  await app.create.issue()
})

describe('the .json suffix', () => {
  it.each([
    '/issues',
    '/issues/1',
    '/denver/questions',
    '/places/denver',
    '/issues/1/comments',
    '/profile',
    '/request_types/other',
  ])('returns the same resource: %s', async (path) => {
    const [plain, json, slash] = await Promise.all([path, `${path}.json`, `${path}.json/`].map((one) => app.as.anonymous.get(one)))

    expect([plain?.status, json?.body, slash?.body]).toEqual([200, plain?.body, plain?.body])
    expect(json?.headers['etag']).toBe(plain?.headers['etag'])
  })

  it('may be percent-encoded', async () => {
    const spellings = ['%2ejson', '%2Ejson', '.js%6Fn', '%2E%6A%73%6F%6E']
    const headers = { 'user-agent': 'fixpoint-tests' }
    const answers = await Promise.all(spellings.map((one) => app.fastify.inject({ url: `/api/v2/issues/${issue}${one}`, headers })))

    expect(answers.map((answer) => [answer.statusCode, answer.json<{ id: number }>().id])).toEqual(
      spellings.map(() => [200, issue]),
    )
  })

  it('does not change parameters or the URLs of other pages', async () => {
    const { next_page_url } = parseIssueList(await app.as.anonymous.get('/issues.json?per_page=1&x=a.json')).pagination

    expect(withoutCursor(next_page_url)).toBe('http://fixpoint.test/api/v2/issues?page=2&per_page=1&x=a.json')
  })

  it('accepts writes', async () => {
    const { status } = await app.as.user(ada).send('POST', `/api/v2/issues/${issue}/comments.json`, { body: { comment: 'Seen' } })

    expect(status).toBe(201)
  })

  it.each(['/issues/.json', '/.json', '/issues.JSON', '/issues.json.json', '/issues.jsonp', '/places/none.json', '/nothing.json'])(
    'returns 404 for unknown paths and other spellings: %s',
    async (path) => {
      expect((await app.as.anonymous.get(path)).status).toBe(404)
    },
  )

  it('returns 404 outside the API', async () => {
    const answers = await Promise.all(['/places/denver.json', '/health.json'].map((url) => app.as.anonymous.send('GET', url)))

    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })
})

describe('POST /oauth/token', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const grant = (password: string) => new URLSearchParams({ grant_type: 'password', username: ada.email, password }).toString()
  const post = (client: typeof app.as.anonymous, password: string, headers: Record<string, string> = {}, path = '/oauth/token') =>
    client.send('POST', path, { headers: { ...form, ...headers }, body: grant(password) })

  it('returns a token as under /api/v2', async () => {
    const { status, headers, body } = await post(app.as.anonymous, PASSWORD)

    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    const { access_token } = body as { access_token: string }
    expect((await app.as.anonymous.get('/profile', { authorization: `Bearer ${access_token}` })).body).toMatchObject({ id: ada.id })
  })

  it('applies the same rules: User-Agent, wrong passwords, cookies, CORS, methods', async () => {
    const answers = [
      await post(app.as.anonymous, PASSWORD, { 'user-agent': ' ' }),
      await post(app.as.anonymous, 'wrong'),
      await post(app.as.anonymous, PASSWORD, { origin: 'https://elsewhere.example' }),
      await app.as.anonymous.send('GET', '/oauth/token'),
    ]

    const under = [
      await post(app.as.anonymous, PASSWORD, { 'user-agent': ' ' }, '/api/v2/oauth/token'),
      await post(app.as.anonymous, 'wrong', {}, '/api/v2/oauth/token'),
      await post(app.as.anonymous, PASSWORD, { origin: 'https://elsewhere.example' }, '/api/v2/oauth/token'),
      await app.as.anonymous.send('GET', '/api/v2/oauth/token'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 403, 405])
    expect(answers.map(({ status, headers }) => [status, headers['allow']])).toEqual(
      under.map(({ status, headers }) => [status, headers['allow']]),
    )
  })

  it('shares the rate limit of the API', async () => {
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '3', TRUST_PROXY: '1' })

    const statuses: number[] = []
    for (const path of ['/oauth/token', '/api/v2/oauth/token', '/oauth/token.json', '/oauth/token']) {
      statuses.push((await post(anonymous, PASSWORD, { 'x-forwarded-for': '203.0.113.24' }, path)).status)
    }

    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('unsupported methods', () => {
  beforeAll(() => app.fastify.listen({ port: 0, host: '127.0.0.1' }))

  /** Uses a socket because Node's client refuses unknown methods. */
  async function ask(line: string) {
    const { port } = app.fastify.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (data) => (text += String(data)))
    socket.write(`${line} HTTP/1.1\r\nHost: fixpoint.test\r\nUser-Agent: fixpoint-tests\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    return { status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), allow: /^allow: (.*)\r$/im.exec(text)?.[1] }
  }

  it.each(['PATCH', 'PROPFIND', 'TRACE', 'QUERY', 'LINK', 'M-SEARCH', 'FOO', 'get', 'FOO-BAR'])(
    'return 405 with the allowed methods: %s',
    async (method) => {
      expect([await ask(`${method} /api/v2/issues`), await ask(`${method} /api/v2/issues/${issue}.json?x=y`)]).toEqual([
        { status: 405, allow: 'GET, HEAD, POST' },
        { status: 405, allow: 'GET, HEAD' },
      ])
      expect(await ask(`${method} /oauth/token`)).toEqual({ status: 405, allow: 'POST' })
      expect(await ask(`${method} /api/v2/nothing`)).toMatchObject({ status: 404 })
    },
  )

  it.each(['FOO', 'F\u0000O /', 'FOO http', 'FOO //'])('return 400 or higher for an invalid request line: %j', async (line) => {
    expect((await ask(line)).status).toBeGreaterThanOrEqual(400)
  })

  it('exclude HEAD and OPTIONS', async () => {
    const answers = await Promise.all(
      (['HEAD', 'OPTIONS'] as const).map((method) => app.as.anonymous.send(method, '/api/v2/issues.json')),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 204])
  })
})
