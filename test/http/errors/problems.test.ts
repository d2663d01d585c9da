import { describe, expect, it } from 'vitest'

import { raw } from '../../../src/database/database.ts'
import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp({ keepRows: true })

const message = (text: string) => ({
  message: text,
  documentation_url: 'http://fixpoint.test/docs',
  request_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
})
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (path: string, headers: Record<string, string>, body: string) =>
  app.as.anonymous.send('POST', `/api/v2${path}`, { headers, body })

const idsOf = ({ body, headers }: ApiResponse) => [(body as { request_id: string }).request_id, headers['x-request-id']]

describe('unknown paths', () => {
  it.each([
    '/api/v2',
    '/api/v2/',
    '/api/v2/nothing',
    '/api/v2/issues/1/nothing',
    '/api/v2//issues',
    '/API/v2/issues',
    '/nothing',
    '/docs/nothing',
  ])('return 404: %s', async (url) => {
    const answer = await app.as.anonymous.send('GET', url)

    expect(answer).toMatchObject({ status: 404, body: message('This address was not found.') })
    expect(new Set(idsOf(answer)).size).toBe(1)
  })

  it('return 405 with the allowed methods if another method exists', async () => {
    const answers = await Promise.all(
      (['POST', 'PUT', 'DELETE'] as const).map((method) => app.as.anonymous.send(method, '/api/v2/places/denver')),
    )

    expect(answers.map(({ status }) => status)).toEqual([405, 405, 405])
    expect(answers.map(({ headers }) => headers['allow'])).toEqual(['GET, HEAD', 'GET, HEAD', 'GET, HEAD'])
    expect(answers[0]?.body).toEqual(message('This address does not support that method. Allowed: GET, HEAD.'))
  })

  it('exclude a trailing slash', async () => {
    expect((await app.as.anonymous.get('/issues/')).status).toBe(200)
  })
})

describe('impossible ids', () => {
  const ids = [
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '+5',
    '%205',
    '99999999999',
    '9'.repeat(400),
    '2147483648',
    'NaN',
    'null',
    '%00',
    '1%00',
    '%F0%9F%8F%99',
    "1'--",
  ]

  it.each(['/issues/:id', '/issues/:id/comments', '/users/:id', '/places/:id', '/request_types/:id'])(
    'return 404 at %s',
    async (path) => {
      const answers = await Promise.all(ids.map((id) => app.as.anonymous.get(path.replace(':id', id))))

      expect(answers.map(({ status }, n) => [ids[n], status])).toEqual(ids.map((id) => [id, 404]))
    },
  )

  it('may be as long as the URL', async () => {
    expect((await app.as.anonymous.get(`/places/${'x'.repeat(7_900)}`)).status).toBe(404)
  })
})

describe('invalid URLs', () => {
  it.each(['/api/v2/issues/%zz', '/api/v2/%', '/api/v2/places/%ff', '/api/v2/nothing/%c0%80', '/%zz', '/docs/%E0%A4%A'])(
    'return 400: %s',
    async (url) => {
      const answer = await app.as.anonymous.send('GET', url)

      expect(answer).toMatchObject({ status: 400, body: message('The percent-encoding of the URL is invalid.') })
      expect(new Set(idsOf(answer)).size).toBe(1)
    },
  )

  it('return 414 above 8,000 characters', async () => {
    const prefix = '/api/v2/profile?x='
    const statusForLength = async (length: number) => (await app.as.anonymous.send('GET', prefix.padEnd(length, 'x'))).status

    expect([await statusForLength(8_000), await statusForLength(8_001)]).toEqual([200, 414])
  })

  it('may have invalid percent-encoding in parameters, which is read as text', async () => {
    const answers = await Promise.all(
      ['%zz', '%ff', '%', '%ED%A0%80'].map((text) => app.as.anonymous.get(`/issues?x=${text}&page=${text}`)),
    )

    expect(answers.map(({ body }) => body)).toEqual(Array(4).fill({ page: 'must be an integer' }))
  })
})

describe('query parameters', () => {
  it.each(['search', 'place_url', 'address', 'watcher_token', 'sort', 'status', 'after', 'lat', 'request_types', 'fields[issue]'])(
    'return 422 for a NUL: %s',
    async (name) => {
      const answer = await app.as.anonymous.get(`/issues?${encodeURIComponent(name)}=${name === 'search' ? 'a' : ''}%00`)

      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body as object)).toEqual([name])
    },
  )

  it('are ignored if unknown, with any value', async () => {
    const unknown = '__proto__=1&__proto__[sort]=beauty&constructor=2&toString=3&hasOwnProperty=&x=%00&=y&&&sort[a]=b'

    expect((await app.as.anonymous.get(`/issues?${unknown}`)).status).toBe(200)
    expect((await app.as.anonymous.get(`/profile?${unknown}`)).status).toBe(200)
  })

  it('return 422 if repeated', async () => {
    const { body } = await app.as.anonymous.get('/issues?lat=1&lat=2&lng=3&sort=rating&sort=rating&details=true&details=true')

    expect(body).toEqual({ lat: 'must be given only once', sort: 'must be given only once', details: 'must be given only once' })
  })

  it('accept long numbers in plain notation only', async () => {
    const long = '9'.repeat(250)
    const strange = ['1e3', '0x10', '1_000', ' 5', 'Infinity', '٣', '1.0']

    expect((await app.as.anonymous.get(`/issues?page=7&per_page=${long}`)).body).toMatchObject({
      metadata: { pagination: { page: 7, per_page: 100 } },
      issues: [],
    })
    expect((await app.as.anonymous.get(`/issues?page=-${long}`)).body).toMatchObject({ metadata: { pagination: { page: 1 } } })
    const answers = await Promise.all(strange.map((text) => app.as.anonymous.get(`/issues?per_page=${encodeURIComponent(text)}`)))
    expect(answers.map(({ body }) => body)).toEqual(strange.map(() => ({ per_page: 'must be an integer' })))
  })

  it('are all reported with their allowed values if invalid', async () => {
    const { status, body } = await app.as.anonymous.get('/issues?sort=beauty&lat=north&zoom=23&status=Lost&assigned_to_me=maybe')

    expect(status).toBe(422)
    expect(body).toEqual({
      sort: 'must be one of updated_at, created_at, rating, distance',
      lat: 'must be a number from -90 to 90',
      zoom: 'must be a number from 0 to 22',
      status: 'must be a comma-separated list of open, acknowledged, closed, archived',
      assigned_to_me: 'must be true or false',
    })
  })
})

describe('URLs of other pages', () => {
  it('are never longer than the limit: such parameters return 422', async () => {
    await app.create.issue()
    await app.create.issue()
    const first = (marks: number) => app.as.anonymous.get(`/issues?per_page=1&x=${'('.repeat(marks)}`)
    const followed = async ({ body }: ApiResponse) => {
      const { metadata } = body as { metadata: { pagination: { next_page_url: string } } }
      return app.as.anonymous.send('GET', metadata.pagination.next_page_url.replace('http://fixpoint.test', ''))
    }

    expect((await followed(await first(2_600))).status).toBe(200)
    expect(await first(2_700)).toMatchObject({
      status: 422,
      body: {
        base: 'the parameters are too long: percent-encoded, the addresses of further pages would exceed 8000 characters',
      },
    })
  })
})

describe('request bodies', () => {
  const paths = ['/places', '/nothing']

  it.each(paths)('return 400 {request} for invalid JSON: POST %s', async (path) => {
    const broken = ['{', '{"a":1,}', '{"a":1}}', '{"a":\u0001}']
    const answers = await Promise.all(broken.map((body) => post(path, json, body)))

    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      broken.map(() => ({ status: 400, body: { request: 'The body is not valid JSON.' } })),
    )
  })

  it.each(paths)('return 400 {request} for empty JSON: POST %s', async (path) => {
    expect(await post(path, json, '')).toMatchObject({
      status: 400,
      body: { request: 'The body is empty, though its type is application/json.' },
    })
  })

  it.each(paths)('return 413 if too large: POST %s', async (path) => {
    const large = 'a'.repeat(1024 * 1024)

    expect(await post(path, form, `a=${large}`)).toMatchObject({ status: 413, body: message('The body is too large.') })
    expect(await post(path, json, `"${large}"`)).toMatchObject({ status: 413, body: message('The body is too large.') })
  })

  it('return 400 {request} for a form with too many fields', async () => {
    const { status, body } = await post('/places', form, 'a=1&'.repeat(1_001))

    expect(status).toBe(400)
    expect(body).toEqual({ request: 'The form has more than 1000 fields.' })
  })

  it('are read as a form in every spelling of its content type', async () => {
    const odd = ['a=%zz', 'a[b[c=1', '__proto__[a]=1', '=&=&', 'a'.repeat(10_000), '%00=%00']

    expect(await Promise.all(odd.map(async (body) => (await post('/places', form, body)).status))).toEqual(odd.map(() => 405))
  })
})

describe('a conflict that retries do not solve', () => {
  it.each(['40P01', '40001'])('returns 503 with Retry-After: %s', async (sqlstate) => {
    const fails = raw(`DO $$ BEGIN RAISE EXCEPTION 'given up' USING ERRCODE = '${sqlstate}'; END $$`)
    const failing = [() => queryRows(app.db, fails), () => app.db.transaction((tx) => queryRows(tx, fails))]

    const answers = await Promise.all(
      failing.map(async (read) => (await appOn({ ...app.db, reader: { query: read } } as typeof app.db)).anonymous.get('/issues')),
    )

    expect(answers).toMatchObject(
      failing.map(() => ({
        status: 503,
        headers: { 'retry-after': '5' },
        body: message('The service is not available right now: try again shortly.'),
      })),
    )
  })
})
