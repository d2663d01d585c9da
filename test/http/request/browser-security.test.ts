import { beforeEach, describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../app-on.ts'

const app = useApp()

const PASSWORD = 'correct horse'
const OTHER_SITE = 'https://elsewhere.example'
let ada: { id: number; email: string; token: string }

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
})

const status = async (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
  (await app.as.anonymous.send(method, '/api/v2/profile', { headers })).status

describe('requests from another site', () => {
  const fromElsewhere = [
    ['says so by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['is on the same site, but not the same origin', { 'sec-fetch-site': 'same-site' }],
    ['says so by Origin', { origin: OTHER_SITE }],
    ['hides its origin', { origin: 'null' }],
    ['says so, with any Host', { origin: OTHER_SITE, host: 'elsewhere.example' }],
  ] as const

  it.each(fromElsewhere)('may read: the browser %s', async (_, headers) => {
    const answer = await app.as.anonymous.get('/issues', headers)

    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect(answer.headers['access-control-expose-headers']).toContain('RateLimit')
  })

  it.each(fromElsewhere)('may act with a Bearer token: the browser %s', async (_, headers) => {
    expect(await status({ ...headers, ...bearer(ada.token) })).toBe(200)
    expect(await status({ ...headers, ...bearer(ada.token) }, 'POST')).toBe(405)
  })

  it.each(fromElsewhere)('may not use HTTP Basic: the browser %s', async (_, headers) => {
    const answer = await app.as.anonymous.get('/profile', { ...headers, ...basic(ada.email, PASSWORD) })

    expect(answer).toMatchObject({
      status: 403,
      body: { message: 'A request from another site needs a Bearer token: Basic and cookies are not accepted.' },
    })
  })

  it.each(fromElsewhere)('may not write without a Bearer token: the browser %s', async (_, headers) => {
    expect(await status(headers, 'POST')).toBe(403)
    expect(await status({ ...headers, ...basic(ada.email, PASSWORD) }, 'POST')).toBe(403)
  })

  it('receive preflight responses on every path without using the rate limit', async () => {
    const ask = { origin: OTHER_SITE, 'access-control-request-method': 'DELETE', 'access-control-request-headers': 'authorization' }
    const answer = await app.as.anonymous.send('OPTIONS', '/api/v2/issues/1/follow', { headers: ask })

    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': expect.stringContaining('Authorization') as string,
      'access-control-max-age': '86400',
    })
    expect(answer.headers['ratelimit']).toBeUndefined()
  })

  it('may send the headers of API clients', async () => {
    const ask = { origin: OTHER_SITE, 'access-control-request-method': 'GET' }
    const { headers } = await app.as.anonymous.send('OPTIONS', '/api/v2/issues', { headers: ask })

    expect(String(headers['access-control-allow-headers']).split(', ')).toEqual([
      ...['Authorization', 'Content-Type', 'Accept-Language', 'Cache-Control', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
      ...['If-Modified-Since', 'If-Range', 'Last-Event-ID', 'Prefer', 'Range', 'X-Requested-With'],
    ])
  })

  it.each(['/api/v2', '/api/v2/issues', '/feeds/issues.atom', '/files/favicon.svg', '/files/pictures/x.jpg', '/docs/json'])(
    'may read data: %s',
    async (url) => {
      const { headers } = await app.as.anonymous.send('GET', url, { headers: { origin: OTHER_SITE } })

      expect(headers['access-control-allow-origin']).toBe('*')
    },
  )

  it.each([
    '/',
    '/login',
    '/places',
    '/docs',
    '/health',
    '/metrics',
    '/ops/health',
    '/oauth/token',
    '/nothing',
    '/api/v20',
    '/filesystem',
  ])('may not read pages: %s', async (url) => {
    const ask = { origin: OTHER_SITE, 'access-control-request-method': 'GET' }
    const answers = [
      await app.as.anonymous.send('GET', url, { headers: { origin: OTHER_SITE } }),
      await app.as.anonymous.send('OPTIONS', url, { headers: ask }),
    ]

    const names = answers.flatMap(({ headers }) => Object.keys(headers).filter((name) => name.startsWith('access-control-')))
    expect(names).toEqual([])
    expect(answers[1]?.status).toBeOneOf([404, 405])
  })
})

describe('requests from the service’s own pages and from programs', () => {
  it.each([
    ['the service’s own page', { 'sec-fetch-site': 'same-origin', origin: 'http://fixpoint.test' }],
    ['a typed URL', { 'sec-fetch-site': 'none' }],
    ['an older browser on the service’s own page', { origin: 'http://fixpoint.test' }],
    ['a program', {}],
  ])('may use HTTP Basic and write: %s', async (_, headers) => {
    expect(await status({ ...headers, ...basic(ada.email, PASSWORD) })).toBe(200)
    expect(await status({ ...headers, ...basic(ada.email, PASSWORD) }, 'POST')).toBe(405)
    expect(await status(headers, 'POST')).toBe(405)
  })
})

describe('security headers', () => {
  it('prevent API responses from acting as pages', async () => {
    const { headers } = await app.as.anonymous.get('/issues')

    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'SAMEORIGIN',
    })
  })

  it('require HTTPS if PUBLIC_URL is https', async () => {
    const secure = await appOn(app.db, { PUBLIC_URL: 'https://fixpoint.test' })

    const [overHttps, overHttp] = await Promise.all([secure.anonymous.get('/issues'), app.as.anonymous.get('/issues')])

    expect(overHttps.headers['strict-transport-security']).toMatch(/^max-age=31536000/)
    expect(overHttp.headers['strict-transport-security']).toBeUndefined()
  })
})

describe('GET /docs', () => {
  const addressesIn = (html: string) =>
    [...html.matchAll(/<(?!link rel="canonical"|a href="https:)[^>]* (?:src|href)="([^"#]+)"/g)].map(([, address]) => address ?? '')

  it('loads everything from the service', async () => {
    const page = await app.as.anonymous.send('GET', '/docs')
    const addresses = addressesIn(page.text)
    const statuses = await Promise.all(addresses.map(async (url) => (await app.as.anonymous.send('GET', url)).status))

    expect(page.status).toBe(200)
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(page.headers['content-security-policy']).toContain("connect-src 'self' http://fixpoint.test;")
    expect(String(page.headers['content-security-policy']).match(/https?:/g)).toHaveLength(1)
    expect(addresses.length).toBeGreaterThan(3)
    expect(addresses.filter((address) => !address.startsWith('/'))).toEqual([])
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('fits a phone, is compressed and cached', async () => {
    const ask = (url: string, more = {}) =>
      app.fastify.inject({ url, headers: { 'user-agent': 'tests', 'accept-encoding': 'gzip, deflate, br', ...more } })
    const page = await app.as.anonymous.send('GET', '/docs')
    const script = addressesIn(page.text).find((address) => address.includes('/swagger-ui-bundle.js')) ?? ''
    const [files, json] = [await Promise.all([ask(script), ask('/docs/static/theme/swagger-ui.css')]), await ask('/docs/json')]

    const again = await Promise.all([
      ask('/docs', { 'if-none-match': String(page.headers['etag']) }),
      ask('/docs/json', { 'if-none-match': String(json.headers['etag']) }),
    ])

    expect(page.text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(script).toMatch(/\?v=\w{8}$/)
    expect(files.map(({ headers }) => headers['cache-control'])).toEqual(Array(2).fill('public, max-age=86400'))
    expect([files[0], json].map((answer) => answer?.headers['content-encoding'])).toEqual(['br', 'br'])
    expect(again.map(({ statusCode }) => statusCode)).toEqual([304, 304])
  })

  it('returns 404 for a missing file', async () => {
    const answer = await app.as.anonymous.send('GET', '/docs/static/nothing.js')

    expect(answer).toMatchObject({ status: 404, body: { message: 'This address was not found.' } })
    expect((await app.as.anonymous.send('POST', '/docs/static/nothing.js')).status).toBe(405)
  })

  it.each(['%2e%2e%2fpackage.json', '%5c..%5cx', '%00'])('returns 404 for an invalid file path: %s', async (path) => {
    expect((await app.as.anonymous.send('GET', `/docs/static/${path}`)).status).toBe(404)
  })

  it('uses the path of PUBLIC_URL', async () => {
    const { anonymous } = await appOn(app.db, { PUBLIC_URL: 'https://example.org/city' })
    const { text } = await anonymous.send('GET', '/docs')
    const { body } = await anonymous.send('GET', '/docs/json', { headers: { host: 'elsewhere.example' } })

    expect(addressesIn(text).filter((address) => !address.startsWith('/city/'))).toEqual([])
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://example.org/city' }] })
    expect(JSON.stringify(body)).not.toContain('elsewhere')
    expect(JSON.stringify(body)).not.toContain('127.0.0.1')
  })
})
