import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createCredentialCheck } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createTrustedDevices } from '../../../src/http/identity/trusted-devices.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic } from '../../http/app-on.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const inbox = createInbox(() => app.db)
const SHARED = 'owner@example.org'
const hashes = { squatter: await hashPassword('squatter'), owner: await hashPassword('owner') }

async function claimed(by: TestUser, email: string): Promise<number> {
  const { status, body } = await app.as.user(by).send('POST', '/api/v2/emails', { body: { email } })
  expect(status).toBe(201)
  return (body as { id: number }).id
}
const register = (password: string) =>
  app.as.anonymous.send('POST', '/api/v2/users', {
    body: { name: 'Eva Sol', email: SHARED, password, password_confirmation: password, accept_terms: true },
  })
const confirm = (token: unknown, password: string) =>
  app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password } })
const logsIn = async (password: string) => {
  const { status, body } = await app.as.anonymous.get('/profile', basic(SHARED, password))
  return status === 200 ? (body as { id: number }).id : status
}
const tokens = async () =>
  (await inbox.receive()).filter(({ to }) => to.toLowerCase() === SHARED).map((mail) => readLinkToken(mail))
const idOf = async ({ id }: TestUser) => {
  const [email] = await queryRows<{ id: number }>(
    app.db,
    sql`
    SELECT e.id FROM email_addresses e WHERE e.user_id = ${id} AND lower(e.email) = ${SHARED}`,
  )
  return email?.id ?? 0
}
const owners = async () =>
  (
    await queryRows<{ user_id: number }>(
      app.db,
      sql`SELECT e.user_id FROM email_addresses e WHERE lower(e.email) = ${SHARED} ORDER BY e.user_id`,
    )
  ).map(({ user_id }) => user_id)

describe('an unconfirmed address', () => {
  let ada: TestUser
  let ben: TestUser
  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: hashes.squatter })
    ben = await app.create.user({ name: 'Ben Stone', password_hash: hashes.owner })
    await claimed(ada, SHARED)
  })

  it('ends a remembered login at once if its owner removes it', async () => {
    const before = await logsIn('squatter')

    const { status } = await app.as.user(ada).send('DELETE', `/api/v2/emails/${await idOf(ada)}`)

    expect([before, status, await logsIn('squatter')]).toEqual([ada.id, 204, 401])
  })

  it('ends a remembered login at once if another account confirms it', async () => {
    await claimed(ben, SHARED)
    const before = await logsIn('squatter')

    const confirmations = await Promise.all((await tokens()).map((token) => confirm(token, 'owner')))

    expect(confirmations.map(({ status }) => status).sort()).toEqual([200, 422])
    expect([before, await logsIn('squatter'), await logsIn('owner')]).toEqual([ada.id, 401, ben.id])
  })

  it('may be registered and added by other accounts', async () => {
    const cora = await app.create.user({ name: 'Cora Lind' })

    const statuses = [
      (await register('new one')).status,
      (await app.as.user(ben).send('POST', '/api/v2/emails', { body: { email: SHARED.toUpperCase() } })).status,
      (await app.as.user(cora).send('PUT', '/api/v2/profile', { body: { email: SHARED } })).status,
    ]

    expect(statuses).toEqual([201, 201, 200])
    expect(await owners()).toHaveLength(4)
  })

  it('logs in to the account whose password matches, and to none with another password', async () => {
    await claimed(ben, SHARED)
    const { body } = await register('new one')

    expect(await logsIn('squatter')).toBe(ada.id)
    expect(await logsIn('owner')).toBe(ben.id)
    expect(await logsIn('new one')).toBe((body as { id: number }).id)
    expect(await logsIn('none of them')).toBe(401)
  })

  it('belongs to the account that confirms it with its password, and ends all other claims and tokens', async () => {
    await claimed(ben, SHARED)
    const [first, second] = await tokens()
    const stranger = await confirm(first, 'owner')
    const done = await confirm(second, 'owner')

    expect([stranger.status, done.status]).toEqual([422, 200])
    expect(await owners()).toEqual([ben.id])
    expect((await confirm(first, 'squatter')).body).toMatchObject({ token: expect.stringContaining('is unknown') as string })
    // Another process has no cached logins.
    const { anonymous } = await appOn(app.db)
    const statuses = [
      (await anonymous.get('/profile', basic(SHARED, 'owner'))).status,
      (await anonymous.get('/profile', basic(SHARED, 'squatter'))).status,
    ]
    expect(statuses).toEqual([200, 401])
  })

  it('belongs to one of two accounts that confirm it concurrently', async () => {
    await claimed(ben, SHARED)
    const [first, second] = await tokens()

    const answers = await Promise.all([confirm(first, 'squatter'), confirm(second, 'owner')])

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(await owners()).toHaveLength(1)
  })

  it('is refused to other accounts after its confirmation, with the same error as one’s own address', async () => {
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE email = ${SHARED} RETURNING id`)

    const answers = [
      await register('new one'),
      await app.as.user(ben).send('POST', '/api/v2/emails', { body: { email: SHARED } }),
      await app.as.user(ada).send('POST', '/api/v2/emails', { body: { email: SHARED } }),
    ]

    const text = 'cannot be added: use another address, or log in if this one is yours'
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [422, { errors: { email: [text] } }],
      [422, { email: text }],
      [422, { email: text }],
    ])
  })

  it('gets the first mail of each account that claims it, and drops others silently', async () => {
    const mallories = [ada]
    while (mallories.length < 5) mallories.push(await app.create.user())
    for (const mallory of mallories.slice(1)) await claimed(mallory, SHARED)
    for (const mallory of mallories)
      for (let turn = 0; turn < 3; turn++)
        expect((await app.as.user(mallory).send('POST', `/api/v2/emails/${await idOf(mallory)}/confirmation`)).status).toBe(202)
    await inbox.receive()

    const id = await claimed(ben, SHARED)
    const first = await tokens()
    const again = []
    while (again.length < 4) again.push((await app.as.user(ben).send('POST', `/api/v2/emails/${id}/confirmation`)).status)
    const later = await tokens()

    expect([first.length, again, later.length]).toEqual([1, [202, 202, 202, 422], 0])
    expect((await confirm(first[0], 'owner')).status).toBe(200)
  })

  it('gets no password reset link', async () => {
    await claimed(ben, SHARED)
    await inbox.receive()

    await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email: SHARED } })

    expect(await inbox.receive()).toEqual([])
  })
})

describe('a login with an address that many accounts claim', () => {
  const password = (turn: number) => `password ${turn}`
  const hash = Promise.all([0, 1, 2, 3, 4, 5].map((turn) => hashPassword(password(turn))))
  const createClaims = async (count: number) => {
    for (const password_hash of (await hash).slice(0, count)) {
      const { id } = await app.create.user({ password_hash })
      await app.db.execute(sql`INSERT INTO email_addresses (user_id, email) VALUES (${id}, ${SHARED}) RETURNING id`)
    }
  }

  it('checks the two oldest and the two newest of them', async () => {
    await createClaims(6)
    const { byPassword } = createCredentialCheck(app.db)

    const found = []
    for (let turn = 0; turn < 6; turn++) found.push((await byPassword(SHARED, password(turn))) !== undefined)

    expect(found).toEqual([true, true, false, false, true, true])
  })

  it('checks the account of the trusted device first, among any number of claims', async () => {
    await createClaims(6)
    const { anonymous } = await appOn(app.db, { TRUST_PROXY: '1' })
    const [{ id } = { id: 0 }] = await queryRows<{ id: number }>(
      app.db,
      sql`
      SELECT e.user_id AS id FROM email_addresses e WHERE e.email = ${SHARED} ORDER BY e.id OFFSET 2 LIMIT 1`,
    )
    await createTrustedDevices(app.db).trust(id, 'address:203.0.113.7')
    const enter = async (address: string, turn: number) =>
      (await anonymous.get('/profile', { ...basic(SHARED, password(turn)), 'x-forwarded-for': address })).status

    const elsewhere = await enter('198.51.100.9', 2)
    const there = [await enter('203.0.113.7', 2), await enter('203.0.113.7', 0), await enter('203.0.113.7', 5)]

    expect(elsewhere).toBe(401)
    expect(there).toEqual([200, 200, 200])
  })

  it('finds the oldest account if several have the same password', async () => {
    const password_hash = await hashPassword('the same')
    const [oldest] = [await app.create.user({ password_hash }), await app.create.user({ password_hash })]
    await app.db.execute(sql`
      INSERT INTO email_addresses (user_id, email) SELECT u.id, ${SHARED} FROM users u ORDER BY u.id RETURNING id`)

    expect(await logsIn('the same')).toBe(oldest.id)
  })

  it.each([
    [0, 1],
    [1, 1],
    [2, 4],
    [3, 4],
    [6, 4],
  ])('does the same work for %i claims: %i checks, for right and wrong passwords', async (claims, checks) => {
    await createClaims(claims)
    const checked: string[] = []
    const { byPassword } = createCredentialCheck(app.db, async (_hash, password) => {
      checked.push(password)
      return password === 'right'
    })

    await byPassword(SHARED, 'wrong')
    await byPassword(SHARED, 'right')

    expect(checked).toHaveLength(2 * checks)
  })

  it('counts as one attempt', async () => {
    await createClaims(3)
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '5' })

    const statuses = []
    for (let turn = 0; turn < 6; turn++) statuses.push((await anonymous.get('/profile', basic(SHARED, `wrong ${turn}`))).status)

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('does not trust a device for the other accounts of the address', async () => {
    await createClaims(2)
    const { anonymous } = await appOn(app.db)
    await anonymous.get('/profile', basic(SHARED, password(0)))

    const statuses = new Set<number>()
    for (let turn = 0; turn < 25; turn++) statuses.add((await anonymous.get('/profile', basic(SHARED, `wrong ${turn}`))).status)

    expect([...statuses]).toEqual([401, 429])
  })
})
