import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { toMailbox, readMailbox } from '../../../src/http/schema/mailbox.ts'
import { useApp } from '../../helpers/use-app.ts'
import { basic } from '../../http/app-on.ts'
import { createInbox } from '../../notifications/mail-worker.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const inbox = createInbox(() => app.db)

describe('an e-mail address', () => {
  it.each([
    [' Ada@Judge.Example ', 'Ada@judge.example'],
    ['ada@ｊudge.example', 'ada@judge.example'],
    ['ada@judge。example', 'ada@judge.example'],
    ['ada@ju\u00ADdge.example', 'ada@judge.example'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['e\u0301va@judge.example', 'éva@judge.example'],
    ['ada+news@localhost', 'ada+news@localhost'],
  ])('is normalized: %j to %j', (input, mailbox) => {
    expect(readMailbox(input)).toBe(mailbox)
    expect(toMailbox(mailbox)).toBe(mailbox)
  })

  it.each([
    ...['ada', '@judge.example', 'ada@', 'ada@judge.example.', 'ada@.example', 'ada@judge..example', 'ada@-judge.example'],
    ...[
      'ada@a_b.example',
      'ada@1.2',
      'ada@0x7f.1',
      'ada@judge.example/x',
      'ada@judge.example#x',
      'ada@%6Audge.example',
      'ada@xn--a‍b.org',
    ],
    ...['a\u200Bda@judge.example', 'a da@judge.example', 'ada@ben@judge.example', `${'a'.repeat(65)}@a.org`],
    ...[`ada@${'a'.repeat(64)}.org`, `ada@${'a.'.repeat(100)}org`, ''],
  ])('is invalid without a domain that can have a mail server: %j', (input) => {
    expect(readMailbox(input)).toBeUndefined()
    expect(toMailbox(input)).toBe(input.trim())
  })
})

const ways = [
  'flood@judge.example',
  'flood@ｊudge.example',
  'flood@judge。example',
  'Flood@JUDGE．EXAMPLE',
  'flood@ju\u00ADdge.example',
]

describe('one mailbox under many spellings', () => {
  const fields = { name: 'Eva Sol', password: 'correct horse', password_confirmation: 'correct horse', accept_terms: true }
  const register = (email: string) => app.as.anonymous.send('POST', '/api/v2/users', { body: { ...fields, email } })

  it('belongs to one account after its confirmation, and is stored in one spelling', async () => {
    const statuses = []
    statuses.push((await register(ways[1] ?? '')).status)
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() RETURNING id`)
    for (const email of ways) statuses.push((await register(email)).status)

    expect(statuses).toEqual([201, 422, 422, 422, 422, 422])
    expect(await queryRows(app.db, sql`SELECT e.email FROM email_addresses e`)).toEqual([{ email: 'flood@judge.example' }])
  })

  it('is the same address for the profile and for further addresses', async () => {
    const ada = await app.create.user()
    const added = await app.as.user(ada).send('POST', '/api/v2/emails', { body: { email: 'ada@Bücher.example' } })

    const answers = [await app.as.user(ada).send('POST', '/api/v2/emails', { body: { email: 'ada@xn--bcher-kva.example' } })]
    answers.push(await app.as.user(ada).send('PUT', '/api/v2/profile', { body: { email: 'ada@bu\u0308cher.example' } }))

    expect(added.body).toMatchObject({ email: 'ada@xn--bcher-kva.example' })
    expect(answers.map(({ status }) => status)).toEqual([422, 422])
  })

  it('can log in and reset the password in each spelling', async () => {
    const hash = await hashPassword('correct horse')
    const { id } = await app.create.user({ password_hash: hash })
    await app.db.execute(sql`UPDATE email_addresses SET email = 'flood@judge.example' WHERE user_id = ${id} RETURNING id`)
    const logIn = [
      async (email: string) => (await app.as.anonymous.get('/profile', basic(email, 'correct horse'))).status,
      async (email: string) =>
        (await app.as.anonymous.send('POST', '/api/v2/tokens', { body: { email, password: 'correct horse' } })).status,
    ]

    const statuses = []
    for (const email of ways) for (const one of logIn) statuses.push(await one(email))
    for (const email of ways) await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email } })

    expect(statuses).toEqual(ways.flatMap(() => [200, 201]))
    // The limit counts one address, not its spellings.
    expect((await inbox.receive()).map(({ to }) => to)).toEqual(Array(4).fill('flood@judge.example'))
  })

  it('is invalid if its domain is invalid', async () => {
    const ada = await app.create.user()
    const email = 'must be an e-mail address'

    expect((await register('ada@a_b.example')).body).toEqual({ errors: { email: [email] } })
    expect((await app.as.user(ada).send('POST', '/api/v2/emails', { body: { email: 'ada@1.2' } })).body).toEqual({ email })
  })
})
