import Type from 'typebox'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { type Query, sql } from '../../../src/database/database.ts'
import { idempotent } from '../../../src/http/idempotency/idempotency.ts'
import { problems } from '../../../src/errors/problems.ts'
import { failsWith } from '../../../src/http/schema/fields.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { createClient } from '../../helpers/client.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { gate } from '../gate.ts'
import { addTestRoutes } from '../test-routes.ts'
import { queryRows } from '../../helpers/query-rows.ts'

let before: () => Promise<void>
let after: () => Promise<void>

addTestRoutes(async (fastify) => {
  const Thing = Type.Object({ id: Type.Integer(), name: Type.String() })
  const body = Type.Object({ name: Type.String() })
  const schema = { operationId: 'makeThing', body, response: { 201: Thing, ...failsWith(400, 404, 413, 415, 422) } }
  fastify.post('/things', { schema }, async (request, reply) => {
    await before()
    const { id } = await idempotent(request, app.db, async (tx) => {
      const [row] = await queryRows<{ id: number }>(
        tx,
        sql`
        INSERT INTO events (type, subject_type, subject_id) VALUES ('planted', 'thing', 1) RETURNING events.id`,
      )
      return { id: row?.id ?? 0 }
    })
    await after()
    return reply.code(201).header('location', `/things/${id}`).send({ id, name: request.body.name })
  })
})

const app = useApp({ ownApp: true })
let ada: TestUser

beforeEach(async () => {
  before = after = async () => {}
  ada = await app.create.user()
})

const headers = { 'idempotency-key': '0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40' }
const post = (body: unknown) => app.as.user(ada).send('POST', '/api/v2/things', { body, headers })
const countThings = async () => (await queryRows(app.db, sql`SELECT e.id FROM events e WHERE e.type = 'planted'`)).length
const endLeases = () => queryRows(app.db, sql`UPDATE idempotency_keys SET leased_until = now() - interval '1 second'`)

const lostConnection = () => Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' })
const lost = () => Promise.reject(lostConnection())
/** Loses the connection after the statement that stores a key. */
const lostAfterKey = (async (statement: Parameters<Query>[0]) => {
  const rows = await app.db.query(statement)
  if (statement.text.includes('INSERT INTO idempotency_keys')) throw lostConnection()
  return rows
}) as Query

describe('an interrupted request', () => {
  it('frees its key after the lease if it made no change', async () => {
    const [begun, end] = [gate(), gate()]
    before = () => (begun.open(), end.opened)
    const first = post({ name: 'Ada' })
    await begun.opened
    before = async () => {}

    await endLeases()
    const again = await post({ name: 'Ada' })
    end.open()

    expect(again).toMatchObject({ status: 201, body: { id: expect.any(Number) as number, name: 'Ada' } })
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    // The first request was only slow: it must not make its change any more.
    expect((await first).status).toBe(409)
    expect(await countThings()).toBe(1)
    expect((await post({ name: 'Ada' })).text).toBe(again.text)
  })

  it('is answered without a second change if it made the change', async () => {
    const [changed, end] = [gate(), gate()]
    after = () => (changed.open(), end.opened)
    const first = post({ name: 'Ada' })
    await changed.opened
    after = async () => {}

    expect((await post({ name: 'Ada' })).status).toBe(409)
    await endLeases()
    const again = await post({ name: 'Ada' })
    end.open()

    expect(again).toMatchObject({ status: 201, headers: { location: '/things/1' }, body: { id: 1, name: 'Ada' } })
    expect(await first).toMatchObject({ status: 201, body: { id: 1, name: 'Ada' } })
    expect(await countThings()).toBe(1)
  })

  it('may be retried at once after an internal error', async () => {
    after = () => Promise.reject(new Error('planted'))
    const first = await post({ name: 'Ada' })
    after = async () => {}

    const again = await post({ name: 'Ada' })

    expect([first.status, again.status, again.body]).toEqual([500, 201, { id: 1, name: 'Ada' }])
    expect(await countThings()).toBe(1)
  })

  it.each([
    ['after its key was stored', { transaction: lost, execute: lost }],
    ['while its key was stored', { query: lostAfterKey, execute: lost }],
  ])('frees its key once the database is back if the database was lost %s', async (_, broken) => {
    const issue = await app.create.issue()
    const { db } = app
    let isLost = false
    const flaky = new Proxy(db, {
      // Services copy the functions, so each one decides when it is called.
      get: (target, name: keyof typeof db) =>
        name in broken
          ? (...parameters: unknown[]) =>
              ((isLost ? broken[name as keyof typeof broken] : target[name]) as (...all: unknown[]) => unknown)(...parameters)
          : target[name],
    })
    const { fastify } = await appOn(flaky)
    const vote = () => createClient(fastify, bearer(ada.token)).send('POST', `/api/v2/issues/${issue}/vote`, { body: {}, headers })
    isLost = true
    const first = await vote()
    isLost = false

    await vi.waitFor(async () => expect((await vote()).status).toBe(201), { timeout: 60_000, interval: 100 })

    expect(first.status).toBe(503)
  })

  it('stores no failure after its change', async () => {
    after = () => Promise.reject(problems.notFound('the_issue'))
    const first = await post({ name: 'Ada' })
    after = async () => {}

    expect([first.status, (await post({ name: 'Ada' })).body]).toEqual([404, { id: 1, name: 'Ada' }])
    expect(await countThings()).toBe(1)
  })
})
