import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { recordMailEvent } from '../../src/outbox/queries.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const PASSWORD = 'correct horse'
const hash = await hashPassword(PASSWORD)

describe('an erasure by an attacker', () => {
  const VICTIM = 'victim@city.example'

  /** Creates what a stranger without an account has, by the address. */
  async function createRowsOfVictim() {
    const expires_at = new Date(Date.now() + 60_000)
    const { id } = await app.db.prisma.reportDraft.create({
      data: { secret_hash: 'v', email: VICTIM, form_values: {}, expires_at },
    })
    await app.db.prisma.reportDraftLink.create({ data: { secret_hash: 'l', draft_id: id, email: VICTIM } })
    const organization_id = await app.create.organization()
    await app.db.prisma.pendingMembership.create({ data: { organization_id, email: VICTIM, role: 'owner' } })
    const event_id = await app.db.transaction((tx) =>
      recordMailEvent(tx, { type: 'user.erased', subject_id: 999, actor_id: null, payload: {} }),
    )
    await app.db.prisma.mail.create({ data: { kind: 'receipt', event_id, email: VICTIM, locale: 'en' } })
  }
  const countRows = async () => [
    await app.db.prisma.reportDraft.count(),
    await app.db.prisma.reportDraftLink.count({ where: { email: VICTIM } }),
    await app.db.prisma.pendingMembership.count(),
    await app.db.prisma.mail.count({ where: { email: VICTIM, event: { subject_id: 999 } } }),
  ]
  const removed = { confirmed_at: null, removed_at: new Date() }

  it.each([
    ['deletes no rows of an address that the account has not confirmed', { email: VICTIM, confirmed_at: null }, {}, [1, 1, 1, 1]],
    ['deletes no rows of an unconfirmed address that was removed', { email: VICTIM, ...removed }, {}, [1, 1, 1, 1]],
    [
      'deletes no rows of an address that is the name',
      { email: 'other@city.example', confirmed_at: null },
      { name: VICTIM },
      [1, 1, 1, 1],
    ],
    [
      'deletes the rows of a confirmed address (control)',
      { email: VICTIM.toUpperCase(), confirmed_at: new Date() },
      {},
      [0, 0, 0, 0],
    ],
    [
      'deletes the rows of a confirmed address that was removed',
      { email: VICTIM, ...removed, removed_confirmed_at: new Date() },
      {},
      [0, 0, 0, 0],
    ],
  ])('%s', async (_, address, user, left) => {
    const attacker = await app.create.user({ password_hash: hash, ...user })
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: attacker.id }, data: address })
    await createRowsOfVictim()

    const { status } = await app.as.user(attacker).send('DELETE', '/api/v2/profile', { body: { current_password: PASSWORD } })

    expect([status, await countRows()]).toEqual([204, left])
  })

  it('deletes no rows of a confirmed address that was removed and is another account’s now', async () => {
    const attacker = await app.create.user({ password_hash: hash })
    const past = { email: VICTIM, ...removed, removed_confirmed_at: new Date() }
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: attacker.id }, data: past })
    const owner = await app.create.user()
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: owner.id }, data: { email: VICTIM.toUpperCase() } })
    await createRowsOfVictim()

    await app.as.user(attacker).send('DELETE', '/api/v2/profile', { body: { current_password: PASSWORD } })

    expect(await countRows()).toEqual([1, 1, 1, 1])
  })

  it('deletes the stored responses of the account and those that show it, and none whose text has its name', async () => {
    const attacker = await app.create.user({ name: 'Pothole', password_hash: hash })
    const ben = await app.create.user()
    const issue = await app.create.issue({ reporter: attacker })
    const shown = await app.create.issue({ reporter: ben })
    const headers = { 'idempotency-key': 'k' }
    const comment = { comment: `Pothole "id":${attacker.id},"name":"Pothole"` }
    await app.as.user(ben).send('POST', `/api/v2/issues/${issue}/comments`, { headers, body: comment })
    await app.as.user(attacker).send('POST', `/api/v2/issues/${shown}/comments`, { headers, body: { comment: 'Mine.' } })
    const presented = (await app.as.anonymous.get(`/issues/${issue}`)).text
    await app.db.prisma.idempotencyKey.create({
      data: {
        scope: 'staff',
        fingerprint: '',
        lease_id: randomUUID(),
        leased_until: new Date(),
        status: 201,
        headers: {},
        body: presented,
      },
    })

    await app.as.user(attacker).send('DELETE', '/api/v2/profile', { body: { current_password: PASSWORD } })

    const keys = await app.db.prisma.idempotencyKey.findMany({ orderBy: { created_at: 'asc' } })
    expect(keys.map(({ user_id, status }) => [user_id, status])).toEqual([
      [ben.id, 201],
      [attacker.id, null],
      [null, null],
    ])
    const again = await app.as.user(ben).send('POST', `/api/v2/issues/${issue}/comments`, { headers, body: comment })
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', expect.objectContaining(comment)])
  })
})
