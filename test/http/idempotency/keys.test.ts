import { describe, expect, it } from 'vitest'

import { sweep } from '../../jobs/sweep.ts'
import { sql } from '../../../src/database/database.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { appOn } from '../app-on.ts'
import { KEY, key, useTestRoutes } from './use-test-routes.ts'

const { app, context, post, countThings } = useTestRoutes()

describe('Idempotency-Key', () => {
  it('is scoped to caller, method and path', async () => {
    const bob = await app.create.user()
    const other = { body: { name: 'Bob' }, headers: key }
    await post({ name: 'Ada' })

    const statuses = [
      (await app.as.user(bob).send('POST', '/api/v2/things', other)).status,
      (await app.as.anonymous.send('POST', '/api/v2/anybody', other)).status,
      (await app.as.user(bob).send('POST', '/api/v2/anybody', { ...other, body: { name: 'Ada' } })).status,
      (await app.as.user(context.ada).send('PUT', '/api/v2/things', other)).status,
      (await app.as.user(context.ada).send('PUT', '/api/v2/things', other)).status,
    ]

    expect(statuses).toEqual([201, 201, 201, 201, 201])
    expect(await countThings()).toBe(4)
  })

  it('is scoped to the client address for an anonymous caller', async () => {
    const { fastify } = await appOn(app.db, { TRUST_PROXY: '1' })
    const send = (address: string, name: string) =>
      fastify.inject({
        method: 'POST',
        url: '/api/v2/anybody',
        headers: { 'user-agent': 'tests', 'x-forwarded-for': address, ...key },
        payload: { name },
      })

    const statuses = [await send('192.0.2.1', 'Ada'), await send('192.0.2.2', 'Bob'), await send('192.0.2.1', 'Bob')]

    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 422])
  })

  it('does not replace the login', async () => {
    await post({ name: 'Ada' })

    expect((await app.as.anonymous.send('POST', '/api/v2/things', { body: { name: 'Ada' }, headers: key })).status).toBe(401)
  })

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('returns 422 for an invalid key: %j', async (text) => {
    expect(await post({ name: 'Ada' }, { 'idempotency-key': text })).toMatchObject({
      status: 422,
      body: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters, such as a UUID' },
    })
  })

  it('is ignored if the response contains credentials', async () => {
    const answers = [await post({ name: 'Ada' }, key, '/secrets'), await post({ name: 'Ada' }, key, '/secrets')]

    expect(answers.map(({ body }) => body)).toEqual([
      { id: 1, name: 'secret' },
      { id: 2, name: 'secret' },
    ])
    expect(await queryRows(app.db, sql`SELECT k.scope FROM idempotency_keys k`)).toEqual([])
  })

  it('is stored as a hash, without the request', async () => {
    await post({ name: 'password-of-ada' }, key, '/anybody')

    const rows = await queryRows<{ text: string }>(app.db, sql`SELECT k::text AS text FROM idempotency_keys k`)

    expect(rows).toHaveLength(1)
    expect(rows[0]?.text).not.toMatch(new RegExp(`${KEY}|password-of-ada`))
  })

  it('expires after 24 hours and is deleted', async () => {
    const old = (hours: number) =>
      queryRows(app.db, sql`UPDATE idempotency_keys SET created_at = now() - make_interval(mins => ${hours * 60 - 1})`)
    const swept = async () => {
      await sweep('delete-expired-idempotency-keys', { db: app.db, clock: app.services.clock })
      return (await queryRows(app.db, sql`SELECT k.scope FROM idempotency_keys k`)).length === 0
    }
    await post({ name: 'Ada' })

    await old(24)
    expect([(await post({ name: 'Ada' })).status, await countThings(), await swept()]).toEqual([201, 1, false])
    await app.db.execute(sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours'`)
    expect([(await post({ name: 'Bob' })).body, await countThings()]).toEqual([{ id: 2, name: 'Bob' }, 2])
    await app.db.execute(sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`) // two clocks
    expect(await swept()).toBe(true)
  })

  it('is optional: without a key each request makes a change', async () => {
    const answers = [await post({ name: 'Ada' }, {}), await post({ name: 'Ada' }, {})]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await countThings()).toBe(2)
  })
})
