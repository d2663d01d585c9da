import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'

import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'

const app = useApp()

/** Removes headers of the time or of one request; Last-Modified is sent once a change is two seconds old. */
function headersOf({ headers }: ApiResponse): ApiResponse['headers'] {
  const changing = ['date', 'x-request-id', 'ratelimit', 'connection', 'last-modified', 'x-changes-cursor']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)))
}

const paths = async () => {
  const issue = await app.create.issue()
  const { url_name } = await app.create.place()
  return [
    `/issues/${issue}`,
    '/issues?sort=rating',
    `/issues/${issue}/comments`,
    `/places/${url_name}`,
    '/request_types/other',
    '/profile',
  ]
}

describe('HEAD', () => {
  it('answers like GET without the body', async () => {
    const urls = [
      ...(await paths()).map((path) => `/api/v2${path}`),
      '/api/v2/issues/999999',
      '/api/v2/nothing',
      '/api/v2/issues?sort=x',
    ]

    for (const url of urls) {
      const [head, get] = [await app.as.anonymous.send('HEAD', url), await app.as.anonymous.send('GET', url)]
      expect({ url, status: head.status, text: head.text }).toEqual({ url, status: get.status, text: '' })
      expect({ ...headersOf(head), 'content-length': '' }).toEqual({ ...headersOf(get), 'content-length': '' })
    }
  })
})

describe('every response under /api/v2', () => {
  it('varies by caller and preferences only', async () => {
    const answers = await Promise.all([...(await paths()), '/nothing', '/issues?sort=x'].map((path) => app.as.anonymous.get(path)))

    expect(new Set(answers.map(({ headers }) => headers['vary']))).toEqual(
      new Set(['Authorization, Cookie, Accept, Accept-Language']),
    )
  })

  it('is public for anonymous callers, private for users, and always revalidated', async () => {
    const ada = await app.create.user()
    const cacheControl = async (path: string, headers = {}) => (await app.as.anonymous.get(path, headers)).headers['cache-control']

    expect(await Promise.all(['/issues', '/profile', '/nothing'].map((path) => cacheControl(path)))).toEqual(
      Array(3).fill('public, no-cache'),
    )
    expect(await Promise.all(['/issues', '/nothing'].map((path) => cacheControl(path, bearer(ada.token))))).toEqual(
      Array(2).fill('private, no-cache'),
    )
    expect(await cacheControl('/issues', bearer('wrong'))).toBe('private, no-cache')
  })

  it('has a weak ETag for a success and none for a failure', async () => {
    const successes = await Promise.all((await paths()).map((path) => app.as.anonymous.get(path)))
    const failures = await Promise.all(
      ['/nothing', '/issues?sort=x', '/users', '/issues/999999'].map((path) => app.as.anonymous.get(path)),
    )

    expect(successes.map(({ headers }) => /^W\/"[\w-]{27}"$/.test(String(headers['etag'])))).toEqual(successes.map(() => true))
    expect(failures.map(({ headers }) => headers['etag'])).toEqual(failures.map(() => undefined))
  })
})

describe('compressed responses', () => {
  const packed = { 'accept-encoding': 'gzip' }
  const path = '/issues?per_page=5'
  const get = (method: 'GET' | 'HEAD', headers: Record<string, string> = packed) =>
    app.as.anonymous.send(method, `/api/v2${path}`, { headers })

  beforeEach(async () => {
    for (const summary of ['One', 'Two', 'Three', 'Four', 'Five']) await app.create.issue({ summary })
  })

  it('are large responses only, with the same content and ETag', async () => {
    const response = await app.fastify.inject({ url: `/api/v2${path}`, headers: { 'user-agent': 'tests', ...packed } })
    const plain = await app.as.anonymous.get(path)

    expect(gunzipSync(response.rawPayload).toString()).toBe(plain.text)
    expect(response.rawPayload.length).toBeLessThan(plain.text.length / 4)
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      etag: plain.headers['etag'],
      vary: 'Authorization, Cookie, Accept, Accept-Language, accept-encoding',
    })
    expect((await app.as.anonymous.get('/profile', packed)).headers['content-encoding']).toBeUndefined()
  })

  it('vary by Accept-Encoding, also for 304 and HEAD', async () => {
    const { headers } = await app.as.anonymous.get(path)
    const head = await get('HEAD')
    const unchanged = await get('GET', { ...packed, 'if-none-match': String(headers['etag']) })

    expect([unchanged.status, head.headers['etag']]).toEqual([304, headers['etag']])
    expect([head, unchanged].map((answer) => answer.headers['vary'])).toEqual(
      Array(2).fill('Authorization, Cookie, Accept, Accept-Language, accept-encoding'),
    )
  })
})

describe('other spellings of a URL', () => {
  /** Sends the request line on a socket as proxies and old clients may write it. */
  async function onSocket(target: string): Promise<ApiResponse['headers']> {
    const { fastify } = await appOn(app.db)
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = fastify.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: fixpoint.test\r\nUser-Agent: tests\r\nConnection: close\r\n\r\n`)
    const [head = ''] = (await text(socket)).split('\r\n\r\n')
    const [status = '', ...lines] = head.split('\r\n')
    const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) as [string, string])
    return { status, ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) }
  }

  it.each([
    '/%61pi/v2/profile',
    '/api/%76%32/profile',
    'http://fixpoint.test/api/v2/profile',
    'HTTP://elsewhere.example/api/v2/profile',
  ])('have the usual headers: %s', async (target) => {
    const { status, etag, vary, 'cache-control': cacheControl, 'content-security-policy': policy } = await onSocket(target)
    const usual = await app.as.anonymous.get('/profile')

    expect({ status, etag, vary, cacheControl, policy }).toEqual({
      status: 'HTTP/1.1 200 OK',
      etag: usual.headers['etag'],
      vary: 'Authorization, Cookie, Accept, Accept-Language',
      cacheControl: 'public, no-cache',
      policy: usual.headers['content-security-policy'],
    })
    expect(etag).toMatch(/^W\/"/)
  })

  it.each(['/%61pi/v2/nothing', '/api/%76%32/nothing', 'HTTP://elsewhere.example/api/v2/nothing'])(
    'have the usual headers for unknown paths: %s',
    async (target) => {
      const { status, vary, 'cache-control': cacheControl, 'content-security-policy': policy, ratelimit } = await onSocket(target)
      const usual = await app.as.anonymous.get('/nothing')

      expect({ status, vary, cacheControl, policy }).toEqual({
        status: 'HTTP/1.1 404 Not Found',
        vary: 'Authorization, Cookie, Accept, Accept-Language',
        cacheControl: 'public, no-cache',
        policy: usual.headers['content-security-policy'],
      })
      expect(ratelimit).toMatch(/^"default";r=\d+/)
    },
  )
})

describe('304', () => {
  it('is empty and has the headers of the full response', async () => {
    for (const path of await paths()) {
      const full = await app.as.anonymous.get(path)
      const { 'content-type': _type, 'content-length': _length, ...expected } = headersOf(full)

      for (const method of ['GET', 'HEAD'] as const) {
        const headers = { 'if-none-match': String(full.headers['etag']) }
        const unchanged = await app.as.anonymous.send(method, `/api/v2${path}`, { headers })

        expect({ path, method, status: unchanged.status, text: unchanged.text }).toEqual({ path, method, status: 304, text: '' })
        // A Content-Length would have to be that of the full response (RFC 9110, 8.6).
        expect(headersOf(unchanged)).toEqual(expected)
      }
    }
  })

  it.each(['/', '/files/favicon.svg'])('has no Content-Length outside the API: %s', async (url) => {
    const { etag } = (await app.as.anonymous.send('GET', url)).headers
    const headers = { 'if-none-match': String(etag) }
    const unchanged = await Promise.all((['GET', 'HEAD'] as const).map((method) => app.as.anonymous.send(method, url, { headers })))
    expect(unchanged.map(({ status, headers }) => [status, headers['content-length']])).toEqual(Array(2).fill([304, undefined]))
  })

  it.each([
    ['one of several tags', (tag: string) => `"a", ${tag}, W/"b"`, 304],
    ['the tag without its W/', (tag: string) => tag.replace('W/', ''), 304],
    ['any tag', () => '*', 304],
    ['another tag', () => '"other"', 200],
    ['no tag at all', () => 'other', 200],
    ['a part of the tag', (tag: string) => `${tag.slice(0, -5)}"`, 200],
  ])('answers If-None-Match with %s', async (_, toHeader, status) => {
    const issue = await app.create.issue()
    const { headers } = await app.as.anonymous.get(`/issues/${issue}`)

    const answer = await app.as.anonymous.get(`/issues/${issue}`, { 'if-none-match': toHeader(String(headers['etag'])) })

    expect(answer.status).toBe(status)
  })

  it('applies to successful GET and HEAD only', async () => {
    const issue = await app.create.issue()
    const head = await app.as.anonymous.send('HEAD', `/api/v2/issues/${issue}`, { headers: { 'if-none-match': '*' } })
    const failure = await app.as.anonymous.get('/issues/999999', { 'if-none-match': '*' })

    expect([head.status, failure.status]).toEqual([304, 404])
  })

  it('is not sent for a write, which has no ETag', async () => {
    const [ada, issue] = [await app.create.user(), await app.create.issue()]

    const vote = await app.as.user(ada).send('POST', `/api/v2/issues/${issue}/vote`, { headers: { 'if-none-match': '*' } })

    expect([vote.status, vote.body, vote.headers['etag']]).toEqual([201, { vote: 1 }, undefined])
  })

  it.each(['no-cache', 'max-age=0', 'no-store'])('ignores Cache-Control of the request: %s', async (said) => {
    const issue = await app.create.issue()
    const paths = [`/api/v2/issues/${issue}`, '/api/v2/issues', '/feeds/issues.atom', '/', '/files/favicon.svg']
    const ask = (path: string, headers: Record<string, string> = {}) => app.as.anonymous.send('GET', path, { headers })
    const tags = await Promise.all(paths.map(async (path) => String((await ask(path)).headers['etag'])))

    const answers = await Promise.all(paths.map((path, n) => ask(path, { 'if-none-match': tags[n] ?? '', 'cache-control': said })))

    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 304))
  })

  it('answers every caller whose response is the same', async () => {
    const [ada, { url_name }] = [await app.create.user(), await app.create.place()]
    const { headers } = await app.as.anonymous.get(`/places/${url_name}`)

    const answer = await app.as.user(ada).get(`/places/${url_name}`, { 'if-none-match': String(headers['etag']) })

    expect([answer.status, answer.headers['cache-control']]).toEqual([304, 'private, no-cache'])
  })

  it('differs between callers', async () => {
    const [ada, issue] = [await app.create.user(), await app.create.issue()]
    const { headers } = await app.as.anonymous.get(`/issues/${issue}`)

    const answer = await app.as.user(ada).get(`/issues/${issue}`, { 'if-none-match': String(headers['etag']) })

    expect(answer.status).toBe(200)
  })
})
