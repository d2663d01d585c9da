import { describe, expect, it } from 'vitest'

import { type Queryable, sql } from '../../src/database/database.ts'
import { hashToken } from '../../src/http/identity/credentials.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { claimMemberships, listPendingMemberships } from '../../src/organizations/queries.ts'
import { addAccount } from '../../src/accounts/account-queries.ts'
import { engine } from '../helpers/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { emptyReport, organization, importInto, createTally } from './organization-values.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const run = (...args: Parameters<ReturnType<typeof importInto>>) => importInto(app.db)(...args)
const withMembers = (...members: object[]) => [organization({ members })]

const claim = (person: TestUser, email: string) =>
  queryRows<{ id: number }>(app.db, sql`INSERT INTO email_addresses (user_id, email) VALUES (${person.id}, ${email}) RETURNING id`)
const confirm = (person: TestUser, email: string) =>
  app.db.transaction(async (tx) => {
    await tx.execute(sql`
      UPDATE email_addresses SET confirmed_at = now() WHERE user_id = ${person.id} AND lower(email) = lower(${email}) RETURNING id`)
    return claimMemberships(tx, person.id, email)
  })
const members = () =>
  queryRows(app.db, sql`SELECT m.user_id, m.role FROM organization_members m ORDER BY m.organization_id, m.user_id`)
const findPermissions = async (person: TestUser) => {
  const { body } = await app.as.user(person).get('/profile')
  const [{ role } = { role: '' }] = await queryRows<{ role: string }>(
    app.db,
    sql`SELECT u.role FROM users u WHERE u.id = ${person.id}`,
  )
  return [role, (body as { permissions: { can_acknowledge: boolean } }).permissions.can_acknowledge]
}

async function someoneWaits(tx: Queryable): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const [lock] = await queryRows<{ waits: boolean }>(
      tx,
      sql`
      SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted) AS waits, pg_sleep(0.05)::text AS slept`,
    )
    if (lock?.waits) return
  }
}

const RESIDENT = ['Registered User', false]
const OFFICIAL = ['Verified Official', true]

describe('members of an imported organisation', () => {
  it('become members at once if their address is confirmed, in any letter case', async () => {
    const ada = await app.create.user({ name: 'Ada' })

    const report = await run(withMembers({ email: ada.email.toUpperCase(), role: 'moderator' }))

    expect(report).toEqual({ ...emptyReport, organizations: createTally({ new: 1 }), members: createTally({ new: 1 }) })
    expect(await members()).toEqual([{ user_id: ada.id, role: 'moderator' }])
    expect(await findPermissions(ada)).toEqual(OFFICIAL)
  })

  it('become members only when they confirm the address', async () => {
    const [mallory, olga] = [await app.create.user({ name: 'Mallory' }), await app.create.user({ name: 'Olga' })]
    await claim(mallory, 'Olga@city.example')

    const report = await run(withMembers({ email: 'olga@City。example' }))
    const before = await findPermissions(mallory)
    const early = await app.db.transaction((tx) => claimMemberships(tx, mallory.id, 'olga@city.example'))
    await app.db.execute(sql`DELETE FROM email_addresses WHERE user_id = ${mallory.id} AND confirmed_at IS NULL RETURNING id`)
    await claim(olga, 'OLGA@city.example')
    const claimed = await confirm(olga, 'OLGA@city.example')

    expect(report).toMatchObject({ members: createTally({ new: 1 }), unconfirmed: ['olga@city.example'] })
    expect([before, early]).toEqual([RESIDENT, []])
    expect(claimed).toEqual([1])
    expect([await findPermissions(mallory), await findPermissions(olga)]).toEqual([RESIDENT, OFFICIAL])
    expect(await listPendingMemberships(app.db, 'olga@city.example')).toEqual([])
  })

  it('become members in the request that confirms the address', async () => {
    const olga = await app.create.user({ name: 'Olga', password_hash: await hashPassword('correct horse') })
    const [email] = await claim(olga, 'olga@city.example')
    await run(withMembers({ email: 'olga@city.example' }))
    const token = 'a-token-of-a-mail'
    await app.db.execute(sql`
      INSERT INTO one_time_tokens (user_id, email_address_id, purpose, token_hash, expires_at)
      VALUES (${olga.id}, ${email?.id}, 'confirm_email', ${hashToken(token)}, now() + interval '1 hour') RETURNING id`)

    const { status } = await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password: 'correct horse' } })

    expect(status).toBe(200)
    expect(await findPermissions(olga)).toEqual(OFFICIAL)
  })

  it.runIf(engine === 'server')('become members if they confirm the address during the import', async () => {
    const olga = await app.create.user({ name: 'Olga' })
    await claim(olga, 'olga@city.example')
    const claimed = Promise.withResolvers<void>()
    const confirming = app.db.transaction(async (tx) => {
      await tx.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE user_id = ${olga.id} RETURNING id`)
      await claimMemberships(tx, olga.id, 'olga@city.example')
      claimed.resolve()
      await someoneWaits(tx)
    })
    await claimed.promise

    const report = await run(withMembers({ email: 'olga@city.example' }))
    await confirming

    expect(report.unconfirmed).toEqual([])
    expect(await findPermissions(olga)).toEqual(OFFICIAL)
  })

  it('are listed as pending before they confirm the address', async () => {
    await run([organization({ members: [{ email: 'a@city.example', role: 'moderator' }] }), organization({ name: 'Parks', members: [{ email: 'A@city.example' }] })]) // prettier-ignore

    expect(await listPendingMemberships(app.db, 'A@City.example')).toEqual([
      { organization: 'Parks', role: 'employee' },
      { organization: 'Public Works', role: 'moderator' },
    ])
    expect(await listPendingMemberships(app.db, 'b@city.example')).toEqual([])
  })

  it('lose their role if the file removes them, but not if it moves them to another organisation', async () => {
    const [ada, ben] = [await app.create.user({ name: 'Ada' }), await app.create.user({ name: 'Ben' })]
    await run([organization({ members: [{ email: ada.email }, { email: ben.email }, { email: 'olga@city.example' }] })])
    expect([await findPermissions(ada), await findPermissions(ben)]).toEqual([OFFICIAL, OFFICIAL])

    const report = await run([organization({ members: [] }), organization({ name: 'Parks', members: [{ email: ben.email }] })])

    expect(report.members).toEqual(createTally({ new: 1, retired: 3 }))
    expect([await findPermissions(ada), await findPermissions(ben)]).toEqual([RESIDENT, OFFICIAL])
    expect(await listPendingMemberships(app.db, 'olga@city.example')).toEqual([])
  })

  it('stay if the file has no list of members', async () => {
    const ada = await app.create.user()
    await run(withMembers({ email: ada.email }, { email: 'olga@city.example' }))

    const report = await run([organization()])

    expect(report).toEqual({ ...emptyReport, organizations: createTally({ unchanged: 1 }) })
    expect(await members()).toEqual([{ user_id: ada.id, role: 'employee' }])
  })

  it('do not change with the same file, and change their role with it', async () => {
    const ada = await app.create.user()
    const file = (role: string) => withMembers({ email: ada.email, role }, { email: 'olga@city.example', role })
    const stamp = async () => (await queryRows(app.db, sql`SELECT u.revision FROM users u WHERE u.id = ${ada.id}`))[0]
    await run(file('employee'))
    const before = await stamp()

    const same = await run(file('employee'))
    const after = await stamp()
    const other = await run(file('moderator'))

    expect(same.members).toEqual(createTally({ unchanged: 2 }))
    expect(after).toEqual(before)
    expect(other.members).toEqual(createTally({ changed: 2 }))
    expect(await members()).toEqual([{ user_id: ada.id, role: 'moderator' }])
  })

  it('get the higher role of two addresses in any order', async () => {
    const ada = await app.create.user()
    await claim(ada, 'ada@city.example')
    await confirm(ada, 'ada@city.example')

    await run(withMembers({ email: ada.email, role: 'moderator' }, { email: 'ada@city.example' }))
    const first = await members()
    await run(withMembers({ email: 'ada@city.example' }, { email: ada.email, role: 'moderator' }))

    expect([first, await members()]).toEqual([[{ user_id: ada.id, role: 'moderator' }], [{ user_id: ada.id, role: 'moderator' }]])
  })

  it('keep the higher role when they confirm a second address', async () => {
    const ada = await app.create.user()
    await run(withMembers({ email: ada.email, role: 'moderator' }, { email: 'ada@city.example' }))
    await claim(ada, 'ada@city.example')

    await confirm(ada, 'ada@city.example')

    expect(await members()).toEqual([{ user_id: ada.id, role: 'moderator' }])
  })

  it('become members with an account that an operator creates later', async () => {
    await run(withMembers({ email: 'olga@city.example' }))

    const { id } = await addAccount(app.db, {
      name: 'Olga',
      email: 'Olga@city.example',
      password: 'secret',
      role: 'Registered User',
    })

    expect(await members()).toEqual([{ user_id: id, role: 'employee' }])
  })

  it('stay admins when they are added and removed', async () => {
    const root = await app.create.user({ role: 'Admin' })
    await run(withMembers({ email: root.email }))
    await run(withMembers())

    expect(await findPermissions(root)).toEqual(['Admin', true])
  })
})
