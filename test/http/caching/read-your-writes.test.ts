import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, bearer } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const report = { ...GREEN, address: '1 Elm Street', request_type_id: 'other', answers: { summary: 'Broken bench' } }
const password = { password: 'correct horse', password_confirmation: 'correct horse' }
const registration = { name: 'Ada Park', email: 'ada@example.org', ...password, accept_terms: true }

const noted = async () =>
  (await queryRows<{ user_id: number }>(app.db, sql`SELECT w.user_id FROM user_write_positions w ORDER BY w.user_id`)).map(
    (row) => row.user_id,
  )

describe('the WAL position after a change', () => {
  async function openAppWithReplica() {
    const on = await appOn(app.db, {}, { db: { ...app.db, readsMayLag: true } })
    const send = (person: TestUser, method: 'POST' | 'DELETE', path: string, more: { body?: unknown; headers?: object } = {}) =>
      on.anonymous.send(method, `/api/v2${path}`, { ...more, headers: { ...bearer(person.token), ...more.headers } })
    return { ...on, send }
  }

  it('is stored for the author and read with each request', async () => {
    const { send, services } = await openAppWithReplica()
    const [ada, bob] = [await app.create.user(), await app.create.user()]

    const { status } = await send(ada, 'POST', '/issues', { body: report })

    expect([status, await noted()]).toEqual([201, [ada.id]])
    const [row] = await queryRows<{ lsn: string }>(app.db, sql`SELECT w.wal_lsn::text AS lsn FROM user_write_positions w`)
    expect(await services.credentials.byToken(ada.token)).toMatchObject({ lastWriteLsn: row?.lsn })
    expect(await services.credentials.byToken(bob.token)).toMatchObject({ lastWriteLsn: null })
  })

  it('is updated after each change and after a replayed response', async () => {
    const { send } = await openAppWithReplica()
    const ada = await app.create.user()
    const headers = { 'idempotency-key': 'once' }
    await send(ada, 'POST', '/issues', { body: report, headers })
    await app.db.execute(sql`DELETE FROM user_write_positions w RETURNING w.user_id`)
    const lsn = async () =>
      (await queryRows<{ lsn: string }>(app.db, sql`SELECT w.wal_lsn::text AS lsn FROM user_write_positions w`))[0]?.lsn

    const again = await send(ada, 'POST', '/issues', { body: report, headers })
    const before = await lsn()
    const followed = await send(ada, 'DELETE', '/issues/1/follow')
    const after = await lsn()

    expect([again.status, again.headers['idempotency-replayed'], followed.status]).toEqual([201, 'true', 204])
    const [order] = await queryRows<{ grew: boolean }>(app.db, sql`SELECT ${after}::pg_lsn > ${before}::pg_lsn AS grew`)
    expect(order).toEqual({ grew: true })
  })

  it('is stored after registration and login, by API and page', async () => {
    const { anonymous, fastify: on } = await openAppWithReplica()
    const carl = await app.create.user({ name: 'Carl', password_hash: await hashPassword('correct horse') })

    const made = await anonymous.send('POST', '/api/v2/users', { body: registration })
    const page = await createBrowser(on).post('/register', {
      ...{ name: 'Bea Lind', email: 'bea@example.org', accept_terms: 'true' },
      ...password,
    })
    const login = await createBrowser(on).post('/login', { email: carl.email, password: 'correct horse' })

    expect([made.status, page.status, login.status]).toEqual([201, 303, 303])
    expect(await noted()).toEqual([carl.id, carl.id + 1, carl.id + 2])
  })

  it('is not stored after reads and refused changes', async () => {
    const { anonymous, send } = await openAppWithReplica()
    const ada = await app.create.user()

    const read = await anonymous.get('/issues', bearer(ada.token))
    const refused = await send(ada, 'POST', '/issues', { body: {} })

    expect([read.status, refused.status, await noted()]).toEqual([200, 422, []])
  })

  it('is deleted with its user', async () => {
    const { send } = await openAppWithReplica()
    const ada = await app.create.user()
    await send(ada, 'POST', '/issues', { body: report })
    await app.db.execute(sql`DELETE FROM issues i RETURNING i.id`)

    await app.db.execute(sql`DELETE FROM users u WHERE u.id = ${ada.id} RETURNING u.id`)

    expect(await noted()).toEqual([])
  })
})

describe('a service without replicas', () => {
  it('stores no WAL position', async () => {
    const ada = await app.create.user()

    const { status } = await app.as.user(ada).send('POST', '/api/v2/issues', { body: report })

    expect([status, await noted()]).toEqual([201, []])
  })
})
