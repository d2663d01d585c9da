import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

import type { Query, Transaction } from '../../../src/database/database.ts'
import { createClient } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { OPS_TOKEN } from '../../ops/ops-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { gate } from '../gate.ts'

const SOON = { timeout: 60_000 }

describe('limits of the API', () => {
  const app = useApp({ keepRows: true })

  /** An app with five slots for reads of the API, whose reads wait until `open`. */
  async function withFiveSlots({ apiWaitMaxMs = 500 } = {}) {
    const { opened, open } = gate()
    let reads = 0
    const read: Query = async (statement) => {
      reads += 1
      await opened
      return app.db.reader.query(statement)
    }
    const made = await appOn({ ...app.db, reader: { query: read } }, { DATABASE_POOL_READ: '1', OPS_TOKEN }, { apiWaitMaxMs })
    return { ...made, open, countReads: () => reads }
  }

  it('refuse reads that wait for half a second with 503, without a stack in the log', async () => {
    const { anonymous, logged, open } = await withFiveSlots()
    let refused = 0
    const ask = async () => {
      const { status, headers } = await anonymous.get('/issues')
      if (status === 503 && headers['retry-after'] === '5') refused += 1
      return status
    }

    const crowd = Array.from({ length: 208 }, ask)
    await expect.poll(() => refused, SOON).toBe(203)
    open()

    expect((await Promise.all(crowd)).filter((status) => status === 200)).toHaveLength(5)
    expect(logged.filter(({ msg }) => msg === 'request failed')).toEqual([])
  })

  it('refuse reads before any other work while the queue is full, in the language of the caller, counted and logged', async () => {
    const { fastify, anonymous, logged, open } = await withFiveSlots({ apiWaitMaxMs: 60_000 })
    const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
    const ask = (path: string, options?: RequestInit) => fetch(`${url}${path}`, options)
    const crowd = Array.from({ length: 105 }, () => anonymous.get('/issues'))
    await expect.poll(async () => (await ask('/api/v2/issues', { method: 'HEAD' })).status, SOON).toBe(503)

    const refused = await ask('/api/v2/issues?page=x', { headers: { 'accept-language': 'es-MX,en;q=0.5', 'user-agent': '' } })
    const [live, metrics] = [await ask('/health/live'), await (await ask('/metrics', { headers: bearer(OPS_TOKEN) })).text()]
    open()

    expect(refused.status).toBe(503)
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      ...{ 'retry-after': '5', 'content-language': 'es', 'cache-control': 'no-store', 'access-control-allow-origin': '*' },
    })
    const request_id = refused.headers.get('x-request-id')
    expect(await refused.json()).toMatchObject({
      message: 'El servicio no está disponible ahora mismo: inténtalo de nuevo dentro de poco.',
      request_id,
    })
    expect(logged).toContainEqual(
      expect.objectContaining({ request_id, path: '/api/v2/issues', status: 503, msg: 'request refused' }),
    )
    expect(metrics).toContain('fixpoint_http_requests_total{method="GET",route="none",status="503"} 1\n')
    expect(live.status).toBe(200)
    expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual(crowd.map(() => 200))
  })

  it('refuse changes that wait for a slot for too long', async () => {
    const { opened, open } = gate()
    const transaction = <Result>(work: (tx: Transaction) => Promise<Result>) => opened.then(() => app.db.transaction(work))
    const { fastify } = await appOn({ ...app.db, transaction }, { DATABASE_POOL_WRITE: '2' }, { apiWaitMaxMs: 100 })
    const ada = await app.create.user()
    const issues = await Promise.all(Array.from({ length: 12 }, () => app.create.issue()))
    const statuses: number[] = []
    const follow = async (issue: number) => {
      const { status } = await createClient(fastify, bearer(ada.token)).send('POST', `/api/v2/issues/${issue}/follow`, { body: {} })
      statuses.push(status)
    }

    const changes = issues.map(follow)
    await expect.poll(() => statuses, SOON).toEqual([503, 503])
    open()
    await Promise.all(changes)

    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  })

  it('drop the requests of clients that have left', async () => {
    const { fastify, open, countReads } = await withFiveSlots()
    const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
    let received = 0
    fastify.server.on('request', () => (received += 1))
    const countConnections = () => promisify(fastify.server.getConnections.bind(fastify.server))()
    const ask = async (signal?: AbortSignal) => {
      const asked = get(`${url}/api/v2/users/1000000`, {
        agent: false,
        headers: { 'user-agent': 'test' },
        ...(signal ? { signal } : {}),
      })
      const [{ statusCode }] = (await once(asked, 'response')) as [IncomingMessage]
      return statusCode
    }
    const active = Array.from({ length: 5 }, () => ask())
    await expect.poll(countReads).toBe(5)
    const leaving = new AbortController()
    const left = Promise.allSettled(Array.from({ length: 30 }, () => ask(leaving.signal)))
    await expect.poll(() => received).toBe(35)

    leaving.abort()
    await left
    await expect.poll(countConnections).toBe(5)
    open()

    expect(await Promise.all(active)).toEqual(active.map(() => 404))
    expect(countReads()).toBe(5)
  })
})
