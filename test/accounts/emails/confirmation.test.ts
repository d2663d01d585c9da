import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../../http/app-on.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const PASSWORD = 'correct horse'
const hash = await hashPassword(PASSWORD)
const app = useApp()
const inbox = createInbox(() => app.db)
const HTML = { accept: 'text/html' }
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }

let ada: TestUser
let id: number
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: hash })
  id = await claimed(ada, 'ada@work.example')
})

async function claimed(by: TestUser, email: string): Promise<number> {
  const { status, body } = await app.as.user(by).send('POST', '/api/v2/emails', { body: { email } })
  expect(status).toBe(201)
  return (body as { id: number }).id
}
async function token(): Promise<string> {
  const [mail] = await inbox.receive()
  return mail ? readLinkToken(mail) : ''
}
const confirm = (token: unknown, password: unknown = PASSWORD) =>
  app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password } })
const again = (of: TestUser, id: number | string) => app.as.user(of).send('POST', `/api/v2/emails/${id}/confirmation`)
const isConfirmed = async (id: number) =>
  (
    await queryRows<{ yes: boolean }>(
      app.db,
      sql`SELECT e.confirmed_at IS NOT NULL AS yes FROM email_addresses e WHERE e.id = ${id}`,
    )
  )[0]?.yes
const days = (count: number) =>
  queryRows(
    app.db,
    sql`
  UPDATE one_time_tokens SET expires_at = expires_at - make_interval(days => ${count}) RETURNING id`,
  )

describe('POST /emails/confirm', () => {
  it('confirms the address of the mail, and gives the same answer again', async () => {
    const mailedToken = await token()

    const answers = [await confirm(mailedToken), await confirm(mailedToken)]

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { id, confirmed: true, email: 'ada@work.example' }],
      [200, { id, confirmed: true, email: 'ada@work.example' }],
    ])
    expect(await isConfirmed(id)).toBe(true)
  })

  it('requires the password of the account', async () => {
    const mailedToken = await token()

    const answers = [await confirm(mailedToken, 'wrong'), await confirm(mailedToken, ''), await confirm(mailedToken, null)]

    const wrong = 'must be the password of the account that added the address'
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([422, { password: wrong }]))
    expect((await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token: mailedToken } })).body).toEqual({
      password: 'is required: the password of the account that added the address',
    })
    expect(await isConfirmed(id)).toBe(false)
  })

  it('counts a wrong password as an attempt of the client', async () => {
    const mailedToken = await token()
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: '5' })
    const wrong = () => anonymous.send('POST', '/emails/confirm', { headers: FORM, body: `token=${mailedToken}&password=wrong` })

    const statuses = []
    for (let turn = 0; turn < 6; turn++) statuses.push((await wrong()).status)

    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  })

  it('accepts the tokens of earlier mails', async () => {
    const first = await token()
    await again(ada, id)
    const second = await token()

    expect(second).not.toBe(first)
    expect([(await confirm(first)).status, (await confirm(second)).status]).toEqual([200, 200])
  })

  it('returns 422 for a token that is unknown or older than three days', async () => {
    const mailedToken = await token()
    await days(3)

    const answers = [await confirm(mailedToken), await confirm('nonsense'), await confirm('x'.repeat(1_000))]

    const message = 'is unknown, already used or older than three days: request another mail with POST /emails/:id/confirmation'
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([422, { token: message }]))
    expect(await isConfirmed(id)).toBe(false)
  })

  it('returns 422 for an invalid token and for one with another purpose', async () => {
    const mailedToken = await token()
    await app.db.execute(sql`UPDATE one_time_tokens SET purpose = 'reset_password' WHERE purpose = 'confirm_email' RETURNING id`)

    const answers = [await confirm(7), await confirm('x'.repeat(1_001)), await confirm(mailedToken)]

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(await isConfirmed(id)).toBe(false)
  })

  it('stores only a hash of the token', async () => {
    const mailedToken = await token()

    const rows = await queryRows<{ row: string }>(
      app.db,
      sql`
      SELECT to_jsonb(t)::text AS row FROM one_time_tokens t UNION ALL SELECT to_jsonb(v)::text FROM events v
      UNION ALL SELECT to_jsonb(d)::text FROM mails d`,
    )

    expect(rows.length).toBe(6)
    expect(rows.filter(({ row }) => row.includes(mailedToken))).toEqual([])
  })
})

describe('the mail that confirms an address', () => {
  const fields = { name: 'Eva Sol', email: 'eva@example.org', password: 'correct horse', password_confirmation: 'correct horse' }

  it('is sent after a registration, in the language of the client, and after a change of the profile', async () => {
    await inbox.receive()
    const headers = { 'accept-language': 'es-MX' }

    await app.as.anonymous.send('POST', '/api/v2/users', { body: { ...fields, accept_terms: true }, headers })
    await app.as.user(ada).send('PUT', '/api/v2/profile', { body: { email: 'ada@home.example' } })
    await app.as.user(ada).send('PUT', '/api/v2/profile', { body: { name: 'Ada Lovelace' } })

    expect((await inbox.receive()).map(({ to, subject }) => [to, subject])).toEqual([
      ['eva@example.org', 'Confirma tu dirección de correo'],
      ['ada@home.example', 'Confirm your e-mail address'],
      [ada.email, 'An e-mail address was added to your account'],
    ])
  })

  it('contains no text of the account, because the address may belong to a third party', async () => {
    const [mail] = await inbox.receive()

    expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).not.toContain('Ada Park')
    expect(mail?.text).toContain('valid for three days and works once')
  })
})

describe('the page of the link', () => {
  const pages = ['/emails/confirm', '/api/v2/emails/confirm']

  it.each(pages)('shows a button, changes nothing, and is not cached: %s', async (page) => {
    const mailedToken = await token()

    const answers = [await app.as.anonymous.send('GET', `${page}?token=${mailedToken}`, { headers: HTML })]
    answers.push(await app.as.anonymous.send('GET', `${page}?token=${mailedToken}`, { headers: HTML }))

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.text).toContain('ada@work.example')
    expect(answers[1]?.text.match(/<main[^]*<\/main>/)?.[0].match(/<button>/g)).toHaveLength(1)
    expect(answers[1]?.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' })
    expect(await isConfirmed(id)).toBe(false)
  })

  it('confirms by its form, also for a browser that sends the origin “null”', async () => {
    const mailedToken = await token()
    const send = (value: string) =>
      app.as.anonymous.send('POST', '/emails/confirm', {
        headers: { ...FORM, origin: 'null' },
        body: `token=${value}&password=correct+horse`,
      })

    const [done, twice, wrong] = [await send(mailedToken), await send(mailedToken), await send('nonsense')]

    expect([done, twice, wrong].map(({ status }) => status)).toEqual([200, 200, 422])
    expect(done.text).toContain('<b>ada@work.example</b> is confirmed.')
    expect(wrong.text).toContain('This link does not work any more')
    expect(await isConfirmed(id)).toBe(true)
  })

  it('shows the form again in the language of the account with the error at the field, without the password', async () => {
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { locale: 'fr' } })
    const mailedToken = await token()

    const { status, text } = await app.as.anonymous.send('POST', '/emails/confirm', {
      headers: { ...FORM, 'accept-language': 'es' },
      body: `token=${mailedToken}&password=battery+staple`,
    })

    expect(status).toBe(422)
    expect(text).toContain('Doit être le mot de passe du compte qui a ajouté l’adresse')
    expect(text).not.toContain('battery staple')
    expect(await isConfirmed(id)).toBe(false)
  })

  it('explains an invalid link and an address that is already confirmed', async () => {
    const mailedToken = await token()
    const get = (value: string) => app.as.anonymous.send('GET', `/emails/confirm?token=${value}`, { headers: HTML })
    await confirm(mailedToken)

    const [done, unknown, none] = [
      await get(mailedToken),
      await get('nonsense'),
      await app.as.anonymous.send('GET', '/emails/confirm'),
    ]

    expect([done, unknown, none].map(({ status }) => status)).toEqual([200, 422, 422])
    expect(done.text).toContain('There is nothing left to do.')
    expect(unknown.text).toContain('To get another mail, log in')
    expect((await app.as.anonymous.get('/emails/confirm?token=nonsense')).status).toBe(422)
  })

  it('names the account and its new organisations, because a third party may have claimed the address', async () => {
    const mailedToken = await token()
    const organization = await app.create.organization({ name: 'Public Works' })
    await app.db.execute(sql`
      INSERT INTO pending_memberships (organization_id, email, role) VALUES (${organization}, 'ada@work.example', 'employee') RETURNING email`)

    const { text } = await app.as.anonymous.send('GET', `/emails/confirm?token=${mailedToken}`, { headers: HTML })
    const before = await app.as.user(ada).get('/profile')
    await confirm(mailedToken)
    const after = await app.as.user(ada).get('/profile')

    expect(text).toContain('<b>Ada Park</b>')
    expect(text).toContain('<b>Public Works</b>')
    expect([before, after].map(({ body }) => (body as { permissions: object }).permissions)).toEqual([
      { can_acknowledge: false },
      { can_acknowledge: true },
    ])
  })

  it('is not logged', async () => {
    const mailedToken = await token()
    const { anonymous, logged } = await appOn(app.db, { LOG_LEVEL: 'trace' })

    await anonymous.send('GET', `/emails/confirm?token=${mailedToken}`, { headers: HTML })
    await anonymous.send('POST', '/emails/confirm', { headers: FORM, body: `token=${mailedToken}&password=correct+horse` })
    await anonymous.send('GET', `/password/reset?token=${mailedToken}`, { headers: HTML })

    expect(logged.length).toBe(3)
    expect(JSON.stringify(logged)).not.toContain(mailedToken)
    expect(JSON.stringify(logged)).not.toContain('ada@work.example')
  })
})

describe('POST /emails/:id/confirmation', () => {
  it('sends the mail again, four times an hour, and then returns 422', async () => {
    await inbox.receive()

    const answers = []
    for (let turn = 0; turn < 4; turn++) answers.push(await again(ada, id))

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 422])
    expect(answers[0]?.body).toEqual({ id, confirmed: false, email: 'ada@work.example' })
    expect(answers[3]?.body).toEqual({
      base: 'too many mails were requested within an hour: check your spam folder, or try again later',
    })
    expect((await inbox.receive()).map(({ to }) => to)).toEqual(Array(3).fill('ada@work.example'))
    await app.db.execute(sql`UPDATE mail_limits SET until = now() - interval '1 second' RETURNING key`)
    expect((await again(ada, id)).status).toBe(202)
  })

  it('returns 422 for a confirmed address, and 404 for that of another user', async () => {
    const ben = await app.create.user()

    const answers = [await again(ada, 1), await again(ben, id), await again(ada, 999), await again(ada, 'x')]

    expect(answers.map(({ status }) => status)).toEqual([422, 404, 404, 404])
    expect(answers[0]?.body).toEqual({ base: 'this address is confirmed already' })
  })

  it('sends no mail to an address that was confirmed or deleted meanwhile', async () => {
    const mailedToken = await token()
    await again(ada, id)
    await confirm(mailedToken)

    expect((await inbox.receive()).map(({ to }) => to)).toEqual([ada.email])
  })
})
