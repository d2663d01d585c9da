import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../../src/http/identity/credentials.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { basic, bearer } from '../http/app-on.ts'
import { postOf, tokenIn } from '../notifications/post.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const post = postOf(() => app.db)

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
  const [mail] = await post.arrive()
  return mail ? tokenIn(mail) : ''
}
const logsIn = async (password: string) => (await app.as.anonymous.get('/profile', basic(ada.email, password))).status === 200
const addEmail = (email: string, confirmed_at: Date | null) =>
  app.db.prisma.email.create({ data: { user_id: ada.id, email, confirmed_at } })
const SAID = { message: 'If this is the confirmed address of an account, a mail is on its way to it.' }

describe('POST /passwords/forgot', () => {
  test('sends a link to a confirmed address, and says the same where there is nobody to write to', async () => {
    await addEmail('ada@work.example', null)

    const answers = [
      await forgot(` ${ada.email.toUpperCase()} `),
      await forgot('ada@work.example'),
      await forgot('nobody@example.org'),
    ]

    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([202, SAID]))
    const headers = answers.map(({ headers: { 'x-request-id': _, date: __, ratelimit: ___, ...rest } }) => rest)
    expect(headers[1]).toEqual(headers[0])
    expect(headers[2]).toEqual(headers[0])
    expect((await post.arrive()).map(({ to, subject }) => [to, subject])).toEqual([[ada.email, 'Reset your password']])
  })

  test('writes to the account in its own language', async () => {
    await app.db.execute(sql`UPDATE users SET locale = 'es-MX' RETURNING id`)
    await forgot(ada.email)

    expect((await post.arrive()).map(({ subject }) => subject)).toEqual(['Restablece tu contraseña'])
  })

  test('writes as much for an account as for nobody, and takes no longer', async () => {
    const took = async (email: string) => {
      const began = performance.now()
      await forgot(email)
      return performance.now() - began
    }
    const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1] ?? 0
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < 40; turn++) {
      known.push(await took(ada.email))
      unknown.push(await took(`nobody.${turn % 3}@example.org`))
    }

    const ratio = median(known) / median(unknown)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
    const written = await queryRows(
      app.db,
      sql`
      SELECT (v.subject_id > 0) AS known, count(*)::integer AS count FROM events v JOIN outbox_deliveries e ON e.event_id = v.id
      GROUP BY 1 ORDER BY 1`,
    )
    expect(written).toEqual([
      { known: false, count: 76 },
      { known: true, count: 4 },
    ])
  })

  test('floods nobody: four mails an hour go to an address, however it is written', async () => {
    for (let turn = 0; turn < 7; turn++) await forgot(turn % 2 ? ada.email : ada.email.toUpperCase())

    expect((await post.arrive()).length).toBe(4)
  })

  test.each(['ada', '', 7, undefined])('is 422 for %j', async (email) => {
    expect((await forgot(email)).status).toBe(422)
  })
})

describe('POST /passwords/reset', () => {
  test('sets a new password, and ends the old one, all tokens and the link', async () => {
    const given = await token()

    const done = await reset(given)

    expect([done.status, done.text]).toEqual([204, ''])
    expect([await logsIn(OLD), await logsIn(NEW)]).toEqual([false, true])
    expect((await app.as.anonymous.get('/profile', bearer(ada.token))).status).toBe(401)
    expect((await reset(given, 'another one')).body).toEqual({
      token: 'is unknown, used or older than an hour: ask for another link',
    })
    expect(await logsIn(NEW)).toBe(true)
  })

  test('ends every older link with it, and so does a new password in the profile', async () => {
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

  test('works once for two who come at the same moment', async () => {
    const given = await token()

    const answers = await Promise.all([reset(given, 'first one'), reset(given, 'second one')])

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
  })

  test('is 422 for a link that is older than an hour, unknown, or of another purpose, and changes nothing', async () => {
    const old = await token()
    await app.db.execute(sql`UPDATE one_time_tokens SET expires_at = now() RETURNING id`)
    const other = await token()
    await app.db.execute(sql`UPDATE one_time_tokens SET purpose = 'confirm_email' WHERE expires_at > now() RETURNING id`)

    const answers = [await reset(old), await reset('nonsense'), await reset(other)]

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(await logsIn(OLD)).toBe(true)
  })

  test.each([
    [NEW, 'other', { password_confirmation: 'must equal password' }],
    ['abc', 'abc', { password: 'must be a text of 4 to 40 characters' }],
    [7, NEW, { password: 'must be a text of 4 to 40 characters' }],
  ])('is 422 for the password %j and then %j, and the link still works', async (password, confirmation, faults) => {
    const given = await token()

    const refused = await reset(given, password, confirmation)

    expect([refused.status, refused.body]).toEqual([422, faults])
    expect((await reset(given)).status).toBe(204)
  })

  test('tells the other confirmed addresses, and not the one that the link came to', async () => {
    await addEmail('ada@work.example', new Date())
    await addEmail('ada@unconfirmed.example', null)

    await reset(await token())
    const ofReset = await post.arrive()
    const body = { password: OLD, password_confirmation: OLD, current_password: NEW }
    await app.as.anonymous.send('PUT', '/api/v2/profile', { body, headers: basic(ada.email, NEW) })
    const ofProfile = await post.arrive()

    const told = 'Your password was changed'
    expect(ofReset.map(({ to, subject }) => [to, subject])).toEqual([['ada@work.example', told]])
    expect(ofProfile.map(({ to, subject }) => [to, subject])).toEqual([
      [ada.email, told],
      ['ada@work.example', told],
    ])
    expect(ofReset[0]?.text).toContain('http://fixpoint.test/password/forgot')
  })
})

describe('the pages', () => {
  const send = (path: string, fields: Record<string, string>) =>
    app.as.anonymous.send('POST', path, { headers: FORM, body: new URLSearchParams(fields).toString() })

  test('ask for a link, and say the same whether there is an account', async () => {
    const form = await app.as.anonymous.send('GET', '/password/forgot', { headers: { accept: 'text/html' } })
    const pages = [await send('/password/forgot', { email: ada.email }), await send('/password/forgot', { email: 'x@example.org' })]

    expect(form.text).toContain('<form method="post" action="/password/forgot">')
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(pages[0]?.text).toBe(pages[1]?.text)
    expect((await post.arrive()).map(({ to }) => to)).toEqual([ada.email])
  })

  test('show a fault beside the field, with what was typed', async () => {
    const { status, text } = await send('/password/forgot', { email: 'no"body' })

    expect(status).toBe(422)
    expect(text).toContain('Must be an e-mail address.')
    expect(text).toContain('value="no&quot;body"')
  })

  test('choose a new password with the link, faults beside the fields, kept nowhere', async () => {
    const given = await token()
    const form = await app.as.anonymous.send('GET', `/password/reset?token=${given}`)
    const differing = await send('/password/reset', { token: given, password: NEW, password_confirmation: 'other' })
    const short = await send('/password/reset', { token: given, password: 'abc', password_confirmation: 'abc' })
    const done = await send('/password/reset', { token: given, password: NEW, password_confirmation: NEW })

    expect([form, differing, short, done].map(({ status }) => status)).toEqual([200, 422, 422, 200])
    expect(form.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' })
    expect(differing.text).toContain('Must equal password.')
    expect(differing.text).not.toContain(NEW)
    expect(short.text).toContain('Must be a text of 4 to 40 characters.')
    expect(done.text).toContain('The new password holds from now on.')
    expect([await logsIn(OLD), await logsIn(NEW)]).toEqual([false, true])
  })

  test('say what to do where the link does not work', async () => {
    const pages = [
      await app.as.anonymous.send('GET', '/password/reset?token=nonsense'),
      await app.as.anonymous.send('GET', '/password/reset'),
      await send('/password/reset', { token: 'nonsense', password: NEW, password_confirmation: NEW }),
    ]

    expect(pages.map(({ status }) => status)).toEqual([422, 422, 422])
    for (const { text } of pages) expect(text).toContain('Ask for another link')
  })
})
