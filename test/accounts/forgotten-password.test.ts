import { beforeEach, describe, expect, it } from 'vitest'

import { requestReset } from '../../src/accounts/passwords/queries.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { basic, bearer } from '../http/app-on.ts'
import { createInbox, readLinkToken } from '../notifications/mail-worker.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const inbox = createInbox(() => app.db)

const OLD = 'correct horse'
const NEW = 'battery staple'
const hash = await hashPassword(OLD)
const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

let ada: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: hash })
})

const forgot = (email: unknown) => app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email } })
const reset = (token: unknown, password: unknown = NEW, password_confirmation: unknown = password) =>
  app.as.anonymous.send('POST', '/api/v2/passwords/reset', { body: { token, password, password_confirmation } })
async function token(): Promise<string> {
  await forgot(ada.email)
  const [mail] = await inbox.receive()
  return mail ? readLinkToken(mail) : ''
}
const logsIn = async (password: string) => (await app.as.anonymous.get('/profile', basic(ada.email, password))).status === 200
const addEmail = (email: string, confirmed_at: Date | null) =>
  app.db.prisma.emailAddress.create({ data: { user_id: ada.id, email, confirmed_at } })
const SAID = { message: 'If this is the confirmed address of an account, a mail is on its way to it.' }

describe('POST /passwords/forgot', () => {
  it('sends a link to a confirmed address, and gives the same answer for unknown addresses', async () => {
    await addEmail('ada@work.example', null)

    const answers = [
      await forgot(` ${ada.email.toUpperCase()} `),
      await forgot('ada@work.example'),
      await forgot('unknown@example.org'),
    ]

    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([202, SAID]))
    const headers = answers.map(({ headers: { 'x-request-id': _, date: __, ratelimit: ___, ...rest } }) => rest)
    expect(headers[1]).toEqual(headers[0])
    expect(headers[2]).toEqual(headers[0])
    expect((await inbox.receive()).map(({ to, subject }) => [to, subject])).toEqual([[ada.email, 'Reset your password']])
  })

  it('sends the mail in the language of the account', async () => {
    await app.db.execute(sql`UPDATE users SET locale = 'es-MX' RETURNING id`)
    await forgot(ada.email)

    expect((await inbox.receive()).map(({ subject }) => subject)).toEqual(['Restablece tu contraseña'])
  })

  it('runs the same statements for known, unknown and throttled addresses', async () => {
    const statementsFor = async (email: string) => {
      const texts: string[] = []
      const record = <Statement extends { readonly text: string }>(statement: Statement) => {
        texts.push(statement.text)
        return statement
      }
      const transaction: Database['transaction'] = (work) =>
        app.db.transaction((tx) =>
          work({ ...tx, query: (statement) => tx.query(record(statement)), execute: (statement) => tx.execute(record(statement)) }),
        )
      await requestReset({ ...app.db, transaction }, email)
      return texts
    }
    const found: string[][] = []
    for (let turn = 0; turn < 5; turn++) found.push(await statementsFor(ada.email), await statementsFor('unknown@example.org'))

    expect(found[0]).toHaveLength(4)
    expect(found).toEqual(found.map(() => found[0]))
    const written = await queryRows(
      app.db,
      sql`
      SELECT (v.subject_id > 0) AS known, count(*)::integer AS count FROM events v JOIN outbox_deliveries e ON e.event_id = v.id
      GROUP BY 1 ORDER BY 1`,
    )
    expect(written).toEqual([
      { known: false, count: 6 },
      { known: true, count: 4 },
    ])
  })

  it('sends at most four mails an hour to an address, in any spelling', async () => {
    for (let turn = 0; turn < 7; turn++) await forgot(turn % 2 ? ada.email : ada.email.toUpperCase())

    expect((await inbox.receive()).length).toBe(4)
  })

  it.each(['ada', '', 7, undefined])('returns 422 for %j', async (email) => {
    expect((await forgot(email)).status).toBe(422)
  })
})

describe('POST /passwords/reset', () => {
  it('sets a new password and ends the old one, all tokens and the link', async () => {
    const mailedToken = await token()

    const done = await reset(mailedToken)

    expect([done.status, done.text]).toEqual([204, ''])
    expect([await logsIn(OLD), await logsIn(NEW)]).toEqual([false, true])
    expect((await app.as.anonymous.get('/profile', bearer(ada.token))).status).toBe(401)
    expect((await reset(mailedToken, 'another one')).body).toEqual({
      token: 'is unknown, already used or older than an hour: request another link',
    })
    expect(await logsIn(NEW)).toBe(true)
  })

  it('ends all older links, as a new password by the profile does', async () => {
    const [first, second] = [await token(), await token()]
    const done = [await reset(second), await reset(first)]
    const third = await token()
    const body = { password: OLD, password_confirmation: OLD, current_password: NEW }
    const changed = await app.as.anonymous.send('PUT', '/api/v2/profile', { body, headers: basic(ada.email, NEW) })
    const last = await reset(third, 'another one')

    expect(done.map(({ status }) => status)).toEqual([204, 422])
    expect([changed.status, last.status]).toEqual([200, 422])
    expect(await logsIn(OLD)).toBe(true)
  })

  it('accepts one of two concurrent requests with the same link', async () => {
    const mailedToken = await token()

    const answers = await Promise.all([reset(mailedToken, 'first one'), reset(mailedToken, 'second one')])

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
  })

  it('returns 422 for a link that is older than an hour, unknown, or has another purpose', async () => {
    const old = await token()
    await app.db.execute(sql`UPDATE one_time_tokens SET expires_at = now() RETURNING id`)
    const other = await token()
    await app.db.execute(sql`UPDATE one_time_tokens SET purpose = 'confirm_email' WHERE expires_at > now() RETURNING id`)

    const answers = [await reset(old), await reset('nonsense'), await reset(other)]

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(await logsIn(OLD)).toBe(true)
  })

  it.each([
    [NEW, 'other', { password_confirmation: 'must be the same as the password' }],
    ['abc', 'abc', { password: 'must be a text of 4 to 40 characters' }],
    [7, NEW, { password: 'must be a text of 4 to 40 characters' }],
  ])(
    'returns 422 for the password %j with the confirmation %j, and keeps the link valid',
    async (password, confirmation, errors) => {
      const mailedToken = await token()

      const refused = await reset(mailedToken, password, confirmation)

      expect([refused.status, refused.body]).toEqual([422, errors])
      expect((await reset(mailedToken)).status).toBe(204)
    },
  )

  it('returns 422 for a short password of an employee, and keeps the link valid', async () => {
    await app.db.prisma.organizationMember.create({ data: { organization_id: await app.create.organization(), user_id: ada.id } })
    const mailedToken = await token()

    const refused = await reset(mailedToken, 'seven 7')

    expect([refused.status, refused.body]).toEqual([422, { password: 'must be a text of 8 to 64 characters' }])
    expect((await reset(mailedToken)).status).toBe(204)
  })

  it('notifies the other confirmed addresses, not the one that got the link', async () => {
    await addEmail('ada@work.example', new Date())
    await addEmail('ada@unconfirmed.example', null)

    await reset(await token())
    const ofReset = await inbox.receive()
    const body = { password: OLD, password_confirmation: OLD, current_password: NEW }
    await app.as.anonymous.send('PUT', '/api/v2/profile', { body, headers: basic(ada.email, NEW) })
    const ofProfile = await inbox.receive()

    const expectedSubject = 'Your password was changed'
    expect(ofReset.map(({ to, subject }) => [to, subject])).toEqual([['ada@work.example', expectedSubject]])
    expect(ofProfile.map(({ to, subject }) => [to, subject])).toEqual([
      [ada.email, expectedSubject],
      ['ada@work.example', expectedSubject],
    ])
    expect(ofReset[0]?.text).toContain('http://fixpoint.test/password/forgot')
  })
})

describe('the pages of a forgotten password', () => {
  const send = (path: string, fields: Record<string, string>) =>
    app.as.anonymous.send('POST', path, { headers: FORM, body: new URLSearchParams(fields).toString() })

  it('request a link, and give the same answer with and without an account', async () => {
    const form = await app.as.anonymous.send('GET', '/password/forgot', { headers: { accept: 'text/html' } })
    const pages = [await send('/password/forgot', { email: ada.email }), await send('/password/forgot', { email: 'x@example.org' })]

    expect(form.text).toContain('<form method="post" action="/password/forgot">')
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(pages[0]?.text).toBe(pages[1]?.text)
    expect((await inbox.receive()).map(({ to }) => to)).toEqual([ada.email])
  })

  it('show an error at its field with the typed value', async () => {
    const { status, text } = await send('/password/forgot', { email: 'no"body' })

    expect(status).toBe(422)
    expect(text).toContain('Must be an e-mail address.')
    expect(text).toContain('value="no&quot;body"')
  })

  it('set a new password with the link, show errors at their fields, and are not cached', async () => {
    const mailedToken = await token()
    const form = await app.as.anonymous.send('GET', `/password/reset?token=${mailedToken}`)
    const short = await send('/password/reset', { token: mailedToken, password: 'seven 7' })
    const done = await send('/password/reset', { token: mailedToken, password: NEW })

    expect([form, short, done].map(({ status }) => status)).toEqual([200, 422, 200])
    expect(form.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' })
    expect(short.text).toContain('Must be a text of 8 to 64 characters.')
    expect(short.text).not.toContain('seven 7')
    expect(done.text).toContain('Your new password is set.')
    expect([await logsIn(OLD), await logsIn(NEW)]).toEqual([false, true])
  })

  it('explain an invalid link', async () => {
    const pages = [
      await app.as.anonymous.send('GET', '/password/reset?token=nonsense'),
      await app.as.anonymous.send('GET', '/password/reset'),
      await send('/password/reset', { token: 'nonsense', password: NEW, password_confirmation: NEW }),
    ]

    expect(pages.map(({ status }) => status)).toEqual([422, 422, 422])
    for (const { text } of pages) expect(text).toContain('Request another link')
  })
})
