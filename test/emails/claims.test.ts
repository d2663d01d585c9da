import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../../src/http/credentials.ts'
import type { Person } from '../helpers/given.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, basic } from '../http/app-on.ts'
import { postOf, tokenIn } from '../mails/post.ts'

const it = useApp()
const post = postOf(() => it.db)

async function claimed(by: Person, email: string): Promise<number> {
  const { status, body } = await it.as.user(by).send('POST', '/api/v2/emails', { body: { email } })
  expect(status).toBe(201)
  return (body as { id: number }).id
}
const confirm = (token: unknown) => it.as.nobody.send('POST', '/api/v2/emails/confirm', { body: { token } })
const again = (of: Person, id: number) => it.as.user(of).send('POST', `/api/v2/emails/${id}/confirmation`)
const isConfirmed = async (id: number) =>
  (await it.db.query<{ yes: boolean }>(sql`SELECT e.confirmed_at IS NOT NULL AS yes FROM emails e WHERE e.id = ${id}`))[0]?.yes

describe('an address that somebody else claims', () => {
  const VICTIM = 'owner@example.org'
  let ada: Person
  let ben: Person
  let squatted: number
  beforeEach(async () => {
    ada = await it.given.user({ name: 'Ada Park' })
    ben = await it.given.user({ name: 'Ben Stone' })
    squatted = await claimed(ada, VICTIM)
  })
  const register = (password: string) =>
    it.as.nobody.send('POST', '/api/v2/users', {
      body: { name: 'Eva Sol', email: VICTIM, password, password_confirmation: password, accept_terms: true },
    })
  const grown = () => it.db.query(sql`UPDATE emails SET created_at = created_at - interval '3 days' RETURNING id`)

  test('is kept for the first for three days, then free for its owner, who has it by confirming it', async () => {
    const early = await it.as.user(ben).send('POST', '/api/v2/emails', { body: { email: VICTIM } })
    await post.arrive()
    await grown()
    const own = await claimed(ben, VICTIM.toUpperCase())
    const [mail] = await post.arrive()

    expect(early.status).toBe(422)
    expect((await confirm(mail && tokenIn(mail))).body).toEqual({ id: own, confirmed: true, email: 'OWNER@example.org' })
    expect(await isConfirmed(squatted)).toBeUndefined()
  })

  test('logs in to the account of whoever registers with it when the earlier claim has lapsed, and to no other one', async () => {
    await it.db.query(sql`UPDATE users SET password_hash = ${await hashPassword('squatter')} WHERE id = ${ada.id} RETURNING id`)
    const before = await it.as.nobody.get('/profile', basic(VICTIM, 'squatter'))
    await grown()
    const lapsed = await it.as.nobody.get('/profile', basic(VICTIM, 'squatter'))
    const { status, body } = await register('real owner')
    await grown()

    const answers = [await it.as.nobody.get('/profile', basic(VICTIM, 'real owner'))]
    // Another process, which remembers nobody.
    const { nobody } = await appOn(it.db)
    answers.push(await nobody.get('/profile', basic(VICTIM, 'real owner')), await nobody.get('/profile', basic(VICTIM, 'squatter')))

    expect([before.body, lapsed.body, status]).toMatchObject([{ id: ada.id }, { id: ada.id }, 201])
    expect(answers.map((one) => [one.status, (one.body as { id?: number }).id])).toEqual([
      [200, (body as { id: number }).id],
      [200, (body as { id: number }).id],
      [401, undefined],
    ])
  })

  test('takes no account from whoever confirmed it, or claimed it within three days', async () => {
    const early = await register('mallory')
    await post.arrive()
    await it.db.query(sql`UPDATE emails SET confirmed_at = now() WHERE id = ${squatted} RETURNING id`)
    await grown()
    const late = await register('mallory')

    expect([early.status, late.status]).toEqual([422, 422])
    expect((await it.as.nobody.get('/profile', basic(VICTIM, 'mallory'))).status).toBe(401)
  })

  test('leaves whoever claimed it before the password of their account, and the link with which they may yet confirm it', async () => {
    const password = { current_password: 'squatter', password: 'new one', password_confirmation: 'new one' }
    await it.db.query(sql`UPDATE users SET password_hash = ${await hashPassword('squatter')} WHERE id = ${ada.id} RETURNING id`)
    await it.db.query(sql`DELETE FROM emails WHERE user_id = ${ada.id} AND id <> ${squatted} RETURNING id`)
    await grown()
    await register('real owner')
    await post.arrive()

    const changed = await it.as.user(ada).send('PUT', '/api/v2/profile', { body: password })
    await again(ada, squatted)
    const [mail] = await post.arrive()

    expect(changed.status).toBe(200)
    expect((await confirm(mail && tokenIn(mail))).status).toBe(200)
    expect((await it.as.nobody.get('/profile', basic(VICTIM, 'new one'))).body).toMatchObject({ id: ada.id })
  })

  test('belongs to one of two who confirm it at the same moment', async () => {
    const [first] = await (async () => (await again(ada, squatted), post.arrive()))()
    await grown()
    await claimed(ben, VICTIM)
    const [second] = await post.arrive()

    const answers = await Promise.all([confirm(first && tokenIn(first)), confirm(second && tokenIn(second))])

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(await it.db.query(sql`SELECT count(*)::integer AS count FROM emails e WHERE lower(e.email) = ${VICTIM}`)).toEqual([
      { count: 1 },
    ])
  })
})
