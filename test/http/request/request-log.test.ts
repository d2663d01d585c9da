import { describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { engine } from '../../helpers/database.ts'
import type { ApiResponse } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../app-on.ts'
import { addTestRoutes } from '../test-routes.ts'

const SECRET = 'row 17 of table passwords'

addTestRoutes(async (app) => {
  app.get('/error', async () => {
    throw Object.assign(new Error(SECRET), { code: 'XX000', detail: SECRET })
  })
  app.get('/strange-error', async () => {
    throw SECRET as unknown as Error
  })
})

const app = useApp({ ownApp: true })

const idOf = ({ headers }: ApiResponse) => headers['x-request-id']

describe('the request log', () => {
  it('writes one line for each response', async () => {
    const ada = await app.create.user()
    const { fastify, logged } = await appOn(app.db)
    const ask = (url: string, headers = {}) => fastify.inject({ method: 'GET', url, headers: { 'user-agent': 'test', ...headers } })

    const found = await ask('/api/v2/issues?search=pothole', bearer(ada.token))
    await ask('/api/v2/nothing')
    await ask('/health/live')

    expect(logged).toEqual([
      {
        level: 30,
        time: expect.any(Number) as number,
        pid: process.pid,
        hostname: expect.any(String) as string,
        msg: 'request completed',
        request_id: found.headers['x-request-id'],
        method: 'GET',
        path: '/api/v2/issues',
        operation_id: 'listIssues',
        status: 200,
        duration_ms: expect.any(Number) as number,
        user_id: ada.id,
        statements: expect.any(Number) as number,
        database_ms: expect.any(Number) as number,
        pool_wait_ms: expect.any(Number) as number,
      },
      expect.objectContaining({ msg: 'request completed', path: '/api/v2/nothing', status: 404 }),
      expect.objectContaining({ msg: 'request completed', path: '/health/live', status: 200 }),
    ])
  })

  it.runIf(engine === 'server')('counts the statements of a request, also those before and after its body is read', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const { fastify, logged } = await appOn(app.db)

    await fastify.inject({
      method: 'POST',
      url: `/api/v2/issues/${issue}/comments`,
      headers: { 'user-agent': 'test', ...bearer(ada.token) },
      payload: { comment: 'It is deep.' },
    })

    // The statements: credentials, then the transaction of the comment.
    expect(logged).toMatchObject([{ status: 201, pool_wait_ms: expect.any(Number) as number }])
    expect(logged[0]?.['statements']).toBeGreaterThan(4)
    expect(logged[0]?.['database_ms']).toBeGreaterThan(0)
  })

  it('contains no secrets of clients', async () => {
    const ada = await app.create.user({ password_hash: await hashPassword('correct horse') })
    const { anonymous, logged } = await appOn(app.db, { LOG_LEVEL: 'trace' })

    await anonymous.get(`/issues?access_token=${ada.token}&search=my-search`, { cookie: 'session=my-cookie' })
    await anonymous.get('/issues', bearer(ada.token))
    await anonymous.get('/issues', basic(ada.email, 'correct horse'))
    await anonymous.get('/issues', basic(ada.email, 'battery staple'))
    await anonymous.send('POST', '/api/v2/issues', {
      headers: { 'content-type': 'application/json' },
      body: '{"password":"hidden"',
    })
    // The address of an erased person would stay in the log.
    for (const address of [ada.email, encodeURIComponent(ada.email)]) await anonymous.get(`/ops/trace/${address}`)

    const text = JSON.stringify(logged)
    const secrets = [
      ada.token,
      ada.email,
      encodeURIComponent(ada.email),
      'correct horse',
      'battery staple',
      'my-cookie',
      'my-search',
      'hidden',
    ]
    expect(logged.length).toBeGreaterThanOrEqual(5)
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(text).not.toMatch(/Basic |Bearer /)
    expect(text).toContain('/ops/trace/…@…')
  })

  it.each(['/error', '/strange-error'])(
    'contains every detail of an internal error, and the response only the request id: %s',
    async (path) => {
      const { fastify, logged } = await appOn(app.db)

      const answer = await fastify.inject({ method: 'GET', url: `/api/v2${path}`, headers: { 'user-agent': 'test' } })

      const id = answer.headers['x-request-id']
      expect(answer.statusCode).toBe(500)
      expect(answer.json()).toEqual({
        message: 'Something went wrong on our side. If it happens again, send us the request id.',
        documentation_url: 'http://fixpoint.test/docs',
        request_id: id,
      })
      expect(JSON.stringify(answer.headers) + answer.payload).not.toContain(SECRET)
      expect(logged.map(({ level, msg, request_id }) => ({ level, msg, request_id }))).toEqual([
        { level: 50, msg: 'request failed', request_id: id },
        { level: 30, msg: 'request completed', request_id: id },
      ])
      expect(JSON.stringify(logged[0])).toContain(SECRET)
    },
  )

  it('creates an id for each request and ignores ids of clients', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.as.anonymous.get('/issues', { 'x-request-id': 'mine', 'request-id': 'mine' })),
    )

    expect(new Set(answers.map(idOf)).size).toBe(3)
    expect(answers.map(idOf)).not.toContain('mine')
  })
})
