import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { hash, NEW, OLD, PASSWORD, useAddresses } from './addresses.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const { app, inbox, ada, confirmedFor, add, remove, confirm, linkTo, open, revert, addresses } = useAddresses()

describe('the link that reverts a change of addresses', () => {
  let old: number
  beforeEach(async () => {
    old = await confirmedFor(1_000, OLD)
  })

  it('changes nothing when it is opened, sends no referrer, and is not indexed', async () => {
    await add(NEW)
    const token = await linkTo(OLD)

    const answers = [await open(token), await open(token)]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' })
    expect(answers[1]?.text).toContain('<meta name="robots" content="noindex">')
    expect(answers[1]?.text).toContain(NEW)
    expect(await addresses()).toEqual([OLD, `${NEW} (unconfirmed)`])
    expect((await app.as.user(ada()).get('/profile')).status).toBe(200)
  })

  it('removes an added address, confirmed or not, and ends all tokens and sessions', async () => {
    await add(NEW)
    const token = await linkTo(OLD)
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE email = ${NEW} RETURNING id`)

    const { status, text } = await revert(token)

    expect([status, await addresses()]).toEqual([200, [OLD]])
    expect(text).toContain('The change is undone')
    expect(await queryRows(app.db, sql`SELECT t.id FROM tokens t WHERE t.user_id = ${ada().id}`)).toEqual([])
    expect((await app.as.user(ada()).get('/profile')).status).toBe(401)
    expect((await inbox.receive()).map(({ to, subject }) => [to, subject])).toEqual([
      [OLD, 'A change of your e-mail addresses was undone'],
    ])
  })

  it('removes a confirmed address with its memberships, which its owner can claim again', async () => {
    const organization = await app.create.organization({ name: 'Public Works' })
    const other = await app.create.organization({ name: 'Parks' })
    await app.db.execute(sql`
      INSERT INTO organization_members (organization_id, user_id, role) VALUES (${other}, ${ada().id}, 'employee') RETURNING user_id`)
    await app.db.execute(sql`
      INSERT INTO pending_memberships (organization_id, email, role)
      VALUES (${organization}, ${NEW}, 'employee'), (${other}, ${NEW}, 'moderator') RETURNING email`)
    await add(NEW)
    await confirm(NEW)
    const before = await memberships()

    await revert(await linkTo(OLD))

    const [parks, works] = [
      { organization_id: other, email: null },
      { organization_id: organization, email: null },
    ]
    expect(before).toEqual([
      { ...works, role: 'employee' },
      { ...parks, role: 'moderator' },
    ])
    expect(await memberships()).toEqual([
      { ...parks, role: 'employee' },
      { ...works, email: NEW, role: 'employee' },
      { ...parks, email: NEW, role: 'moderator' },
    ])
  })
  const memberships = () =>
    queryRows(
      app.db,
      sql`
      SELECT m.organization_id, NULL AS email, m.role FROM organization_members m WHERE m.user_id = ${ada().id}
      UNION ALL SELECT p.organization_id, p.email, p.role FROM pending_memberships p ORDER BY email NULLS FIRST, organization_id`,
    )

  it('restores a removed address with its confirmation time, also beyond the maximum of ten', async () => {
    const [{ confirmed_at } = {}] = await queryRows<{ confirmed_at: string }>(
      app.db,
      sql`SELECT e.confirmed_at FROM email_addresses e WHERE e.id = ${old}`,
    )
    await confirmedFor(100, NEW)
    await remove(old)
    const token = await linkTo(OLD)
    for (let turn = 0; turn < 9; turn++) await add(`ada.${turn}@example.org`)

    const { status } = await revert(token)

    expect(status).toBe(200)
    expect(
      await queryRows(app.db, sql`SELECT e.id, e.confirmed_at, e.removed_at FROM email_addresses e WHERE e.email = ${OLD}`),
    ).toEqual([{ id: old, confirmed_at, removed_at: null }])
    expect(await addresses()).toHaveLength(11)
  })

  it('restores an unconfirmed address as unconfirmed, and keeps the claims of other accounts', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    await remove(await add(NEW))
    const mails = (await inbox.receive()).filter(({ subject }) => subject === 'An e-mail address was removed from your account')
    await app.as.user(ben).send('POST', '/api/v2/emails', { body: { email: NEW } })

    const { status } = await revert(mails[0] ? readLinkToken(mails[0]) : '')

    expect([status, await addresses()]).toEqual([200, [OLD, `${NEW} (unconfirmed)`]])
    expect(((await app.as.user(ben).get('/emails')).body as { emails: object[] }).emails).toHaveLength(2)
  })

  it('ends browser sessions too', async () => {
    const browser = createBrowser(app.fastify)
    await browser.post('/login', { email: OLD, password: PASSWORD })
    const before = await browser.get('/account')
    await add(NEW)

    await revert(await linkTo(OLD))

    expect([before.status, (await browser.get('/account')).headers['location']]).toEqual([200, expect.stringContaining('/login')])
  })

  it('restores a removed address that the account has added again', async () => {
    await confirmedFor(100, NEW)
    await remove(old)
    const token = await linkTo(OLD)
    await add(OLD)

    await revert(token)

    expect(await addresses()).toEqual([OLD, NEW])
  })

  it('works once, for each address that got one', async () => {
    await confirmedFor(100, NEW)
    await add('ada@club.example')
    const mails = await inbox.receive()
    const tokens = mails.filter(({ text }) => text.includes('/emails/revert')).map((mail) => readLinkToken(mail))
    const first = await revert(tokens[0] ?? '')
    const version = await queryRows(app.db, sql`SELECT u.credentials_version AS version FROM users u WHERE u.id = ${ada().id}`)

    const answers = [await revert(tokens[0] ?? ''), await revert(tokens[1] ?? ''), await open(tokens[1] ?? '')]

    expect(tokens).toHaveLength(2)
    expect(first.status).toBe(200)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.every(({ text }) => text.includes('The change is undone'))).toBe(true)
    expect(await queryRows(app.db, sql`SELECT u.credentials_version AS version FROM users u WHERE u.id = ${ada().id}`)).toEqual(
      version,
    )
  })

  it('reverts a removal once for two concurrent requests, with the same answer to both', async () => {
    await confirmedFor(2_000, 'ada@first.example')
    await remove(await confirmedFor(100, NEW))
    const mails = (await inbox.receive()).filter(({ text }) => text.includes('/emails/revert'))

    const answers = await Promise.all(mails.map((mail) => revert(readLinkToken(mail))))

    expect(mails.map(({ to }) => to).sort()).toEqual(['ada@first.example', OLD])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await queryRows(app.db, sql`SELECT v.id FROM events v WHERE v.type = 'user.email_change_reverted'`)).toHaveLength(1)
  })

  it('expires after seven days, and returns 422 for an unknown token or one with another purpose', async () => {
    await add(NEW)
    const mails = await inbox.receive()
    const [confirmation, change] = mails.map((mail) => readLinkToken(mail))
    const days = (count: number) =>
      queryRows(
        app.db,
        sql`UPDATE one_time_tokens SET expires_at = expires_at - make_interval(hours => ${count * 24 - 1}) RETURNING id`,
      )
    await days(7)
    const within = await open(change ?? '')
    await days(1)

    const answers = [
      await revert(change ?? ''),
      await revert(confirmation ?? ''),
      await revert('x'.repeat(1_000)),
      await revert(''),
    ]

    expect(within.status).toBe(200)
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect(await addresses()).toEqual([OLD, `${NEW} (unconfirmed)`])
  })

  it('fails if the address belongs to another account now', async () => {
    const ben = await app.create.user({ name: 'Ben Stone', password_hash: hash })
    await confirmedFor(100, NEW)
    await confirmedFor(2_000, 'ada@first.example')
    await remove(old)
    const token = await linkTo('ada@first.example')
    await app.as.user(ben).send('POST', '/api/v2/emails', { body: { email: OLD } })
    await confirm(OLD)

    const { status, text } = await revert(token)

    expect(status).toBe(422)
    expect(text).toContain('This link does not work any more')
    expect(await addresses()).toEqual(['ada@first.example', NEW])
    expect((await app.as.user(ada()).get('/profile')).status).toBe(200)
  })

  it('restores the recipient’s address if no confirmed address would be left', async () => {
    await add(NEW)
    const token = await linkTo(OLD)
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE email = ${NEW} RETURNING id`)
    await remove(old)

    await revert(token)

    expect(await addresses()).toEqual([OLD])
  })

  it('works by its form, also for a browser that sends the origin “null”', async () => {
    await add(NEW)
    const token = await linkTo(OLD)

    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', origin: 'null' }
    const { status } = await app.as.anonymous.send('POST', '/emails/revert', { headers, body: `token=${token}` })

    expect([status, await addresses()]).toEqual([200, [OLD]])
  })
})
