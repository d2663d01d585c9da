import { describe, expect, it } from 'vitest'

import { sweep } from '../../jobs/sweep.ts'
import { sql } from '../../../src/database/database.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { basic } from '../../http/app-on.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { NEW, OLD, PASSWORD, useAddresses } from './addresses.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const { app, inbox, ada, confirmedFor, add, remove, confirm, arrived, pass } = useAddresses()

describe('the mail about a change of addresses', () => {
  it('goes to every confirmed address with a link after an addition', async () => {
    await confirmedFor(1_000, OLD)
    await confirmedFor(100, 'ada@club.example')
    await add('ada@unconfirmed.example')
    await inbox.receive()

    await add(NEW)

    expect(await arrived()).toEqual([
      { to: 'ada@club.example', mayRevert: true },
      { to: OLD, mayRevert: true },
    ])
  })

  it('is sent for changes by the profile and by the account page', async () => {
    await confirmedFor(1_000, OLD)

    await app.as.user(ada()).send('PUT', '/api/v2/profile', { body: { email: NEW } })
    const byProfile = await arrived()
    const browser = createBrowser(app.fastify)
    await browser.post('/login', { email: OLD, password: PASSWORD })
    await browser.post('/account/emails', { email: 'ada@club.example' })
    const byPage = await arrived()
    const [{ id } = { id: 0 }] = await queryRows<{ id: number }>(
      app.db,
      sql`SELECT e.id FROM email_addresses e WHERE e.email = ${NEW}`,
    )
    await browser.post(`/account/emails/${id}/delete`)

    expect([byProfile, byPage, await arrived()]).toEqual(Array(3).fill([{ to: OLD, mayRevert: true }]))
  })

  it('goes to the other addresses after a confirmation, with a link for those confirmed earlier', async () => {
    await confirmedFor(1_000, OLD)
    await add(NEW)
    await confirm(NEW)

    expect(await arrived()).toEqual([{ to: OLD, mayRevert: true }])
  })

  it('goes to the removed address too, with a link if it was confirmed for more than 72 hours', async () => {
    await confirmedFor(1, NEW)
    await remove(await confirmedFor(73, 'ada@club.example'))
    const trusted = await arrived()

    await remove(await confirmedFor(71, OLD))

    expect(trusted).toEqual([
      { to: 'ada@club.example', mayRevert: true },
      { to: NEW, mayRevert: false },
    ])
    expect(await arrived()).toEqual([
      { to: 'ada@club.example', mayRevert: true },
      { to: OLD, mayRevert: false },
      { to: NEW, mayRevert: false },
    ])
  })

  it('has no link for a removed address while an older one exists', async () => {
    await confirmedFor(1_000, OLD)
    await remove(await confirmedFor(500, NEW))
    const ofRemoval = await arrived()

    await add('ada@club.example')

    const onlyOld = [
      { to: OLD, mayRevert: true },
      { to: NEW, mayRevert: false },
    ]
    expect([ofRemoval, await arrived()]).toEqual([onlyOld, onlyOld])
  })

  it('has no link for an address that was confirmed after the changed one', async () => {
    const old = await confirmedFor(1_000, OLD)
    await confirmedFor(100, NEW)

    await remove(old)

    expect(await arrived()).toEqual([
      { to: OLD, mayRevert: true },
      { to: NEW, mayRevert: false },
    ])
  })

  it('has no link for an address confirmed within 72 hours while an older one exists', async () => {
    await confirmedFor(1_000, OLD)
    await confirmedFor(71, NEW)

    await add('ada@club.example')

    expect(await arrived()).toEqual([
      { to: OLD, mayRevert: true },
      { to: NEW, mayRevert: false },
    ])
  })

  it('goes to a removed address for seven days, and masks other addresses if it has no link', async () => {
    await confirmedFor(1_000, OLD)
    await remove(await confirmedFor(1, NEW))
    await inbox.receive()
    await pass(6)
    await add('ada@club.example')
    const within = (await inbox.receive()).find(({ to }) => to === NEW)
    await pass(1)
    await add('ada@later.example')

    expect(within?.text).toContain('a…@club.example was added')
    expect(within?.text).not.toContain('ada@club.example')
    expect((await arrived()).map(({ to }) => to)).toEqual([OLD])
  })

  it('is sent in the language of the account', async () => {
    await confirmedFor(1_000, OLD)
    await app.db.execute(sql`UPDATE users SET locale = 'fr-CA' WHERE id = ${ada().id} RETURNING id`)

    await add(NEW)

    const subjects = (await inbox.receive()).filter(({ to }) => to === OLD).map(({ subject }) => subject)
    expect(subjects).toEqual(['Une adresse a été ajoutée à votre compte'])
  })

  it('is sent despite unsubscriptions and the limit of confirmations', async () => {
    await confirmedFor(1_000, OLD)
    await app.as.user(ada()).send('PUT', '/api/v2/profile', { body: { issue_mails: false } })
    await app.db.execute(sql`
      INSERT INTO suppressed_addresses (address_hash)
      SELECT left(translate(encode(sha256(convert_to(${OLD}, 'UTF8')), 'base64'), '+/', '-_'), 16) RETURNING address_hash`)
    for (let turn = 0; turn < 5; turn++) await remove(await add(NEW))
    await inbox.receive()

    await add(NEW)

    expect((await inbox.receive()).map(({ to }) => to)).toEqual([OLD])
  })

  it('is limited by the additions per day, which return an error', async () => {
    await confirmedFor(1_000, OLD)
    for (let turn = 0; turn < 20; turn++) await remove(await add(`ada.${turn}@example.org`))

    const { status, body } = await app.as.user(ada()).send('POST', '/api/v2/emails', { body: { email: NEW } })

    expect([status, body]).toEqual([
      422,
      { email: 'cannot be added: you can add at most 20 addresses a day, so try again tomorrow' },
    ])
    expect((await arrived()).filter(({ to }) => to === OLD)).toHaveLength(40)
  })
})

describe('a removed address', () => {
  it('cannot log in, is not listed, and can be used by other accounts', async () => {
    await confirmedFor(1_000, OLD)
    const id = await confirmedFor(100, NEW)
    await remove(id)
    const ben = await app.create.user({ name: 'Ben Stone' })

    const { status } = await app.as.user(ben).send('POST', '/api/v2/emails', { body: { email: NEW } })

    expect(status).toBe(201)
    expect((await app.as.anonymous.get('/profile', basic(NEW, PASSWORD))).status).toBe(401)
    expect((await app.as.anonymous.get('/profile', basic(OLD, PASSWORD))).status).toBe(200)
    expect(((await app.as.user(ada()).get('/emails')).body as { emails: object[] }).emails).toHaveLength(1)
    expect((await app.as.user(ada()).send('POST', `/api/v2/emails/${id}/confirmation`)).status).toBe(404)
    expect((await app.as.user(ada()).send('DELETE', `/api/v2/emails/${id}`)).status).toBe(404)
  })

  it('gets mails about a new password for seven days, and is deleted after 17', async () => {
    await confirmedFor(1_000, OLD)
    await remove(await confirmedFor(100, NEW))
    await inbox.receive()
    const ask = async () => {
      await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email: OLD } })
      const [mail] = await inbox.receive()
      const body = { token: mail && readLinkToken(mail), password: 'battery staple', password_confirmation: 'battery staple' }
      expect((await app.as.anonymous.send('POST', '/api/v2/passwords/reset', { body })).status).toBe(204)
      return (await inbox.receive()).map(({ to }) => to)
    }

    const within = await ask()
    await pass(7)
    const after = await ask()
    const removedAfterSweep = async () => {
      await sweep('purge-removed-emails', { db: app.db, clock: () => new Date() })
      return app.db.prisma.emailAddress.count({ where: { removed_at: { not: null } } })
    }
    const early = await removedAfterSweep()
    await pass(10)

    expect([within, after]).toEqual([[NEW], []])
    expect([early, await removedAfterSweep()]).toEqual([1, 0])
  })
})

describe('the mail about a new password', () => {
  it('advises a trusted, a new and a removed address differently', async () => {
    await confirmedFor(1_000, OLD)
    await confirmedFor(71, NEW)
    await remove(await confirmedFor(100, 'ada@club.example'))
    await inbox.receive()
    const body = { password: 'battery staple', password_confirmation: 'battery staple', current_password: PASSWORD }

    await app.as.user(ada()).send('PUT', '/api/v2/profile', { body })

    const texts = (await inbox.receive()).map(({ to, text }) => [to, text.replaceAll(/\s+/g, ' ')] as const)
    const passwordResetHint = 'This address was confirmed less than 72 hours ago, so it cannot reset the password yet'
    const removed = 'first follow the link in the mail about its removal, if that mail has one.'
    const said = texts.map(([to, text]) => ({
      to,
      passwordResetHint: text.includes(passwordResetHint),
      removed: text.includes(removed),
    }))
    expect(said.sort((one, other) => one.to.localeCompare(other.to))).toEqual([
      { to: 'ada@club.example', passwordResetHint: false, removed: true },
      { to: OLD, passwordResetHint: false, removed: false },
      { to: NEW, passwordResetHint: true, removed: false },
    ])
  })
})

describe('a password', () => {
  const forgot = async (email: string) => {
    await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email } })
    return (await inbox.receive()).map(({ to }) => to)
  }

  it('is not reset through an address confirmed less than 72 hours ago while an older one exists', async () => {
    await confirmedFor(1_000, OLD)
    await confirmedFor(71, NEW)
    await confirmedFor(73, 'ada@club.example')

    expect([await forgot(NEW), await forgot('ada@club.example'), await forgot(OLD)]).toEqual([[], ['ada@club.example'], [OLD]])
  })

  it('is not reset through it while an older one was removed within seven days', async () => {
    await confirmedFor(1, NEW)
    const old = await confirmedFor(1_000, OLD)
    await remove(old)
    await inbox.receive()

    const before = await forgot(NEW)
    await app.db.execute(sql`UPDATE email_addresses SET removed_at = now() - interval '7 days' WHERE id = ${old} RETURNING id`)

    expect([before, await forgot(NEW)]).toEqual([[], [NEW]])
  })

  it('is reset through the only address of a new account', async () => {
    await confirmedFor(0, NEW)

    expect(await forgot(NEW)).toEqual([NEW])
  })

  it('cannot be set with a link of an address that was removed or is no longer trusted', async () => {
    const old = await confirmedFor(1_000, OLD)
    await confirmedFor(100, NEW)
    await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email: OLD } })
    const [mail] = await inbox.receive()
    await remove(old)

    const body = { token: mail && readLinkToken(mail), password: 'battery staple', password_confirmation: 'battery staple' }
    const { status } = await app.as.anonymous.send('POST', '/api/v2/passwords/reset', { body })

    expect(status).toBe(422)
  })
})
