import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { bearer } from '../../http/app-on.ts'
import { createInbox } from '../../notifications/mail-worker.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const inbox = createInbox(() => app.db)

let ada: TestUser
let ben: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
  ben = await app.create.user({ name: 'Ben Stone' })
})

const TAKEN = { email: 'cannot be added: use another address, or log in if this one is yours' }
const add = (of: TestUser, email: unknown) => app.as.user(of).send('POST', '/api/v2/emails', { body: { email } })
const remove = (of: TestUser, id: number | string, prefer?: string) =>
  app.as.user(of).send('DELETE', `/api/v2/emails/${id}`, prefer === undefined ? {} : { headers: { prefer } })
const confirm = (id: number) =>
  queryRows(app.db, sql`UPDATE email_addresses SET confirmed_at = now() WHERE id = ${id} RETURNING id`)
const idsOf = async (of: TestUser) =>
  ((await app.as.user(of).get('/emails')).body as { emails: { id: number }[] }).emails.map(({ id }) => id)

describe('GET /emails', () => {
  it('lists only the caller’s addresses, in alphabetical order', async () => {
    await add(ada, 'Zoe@example.org')
    await add(ada, 'Abe@example.org')
    await add(ada, 'aaa@example.org')

    const { status, body } = await app.as.user(ada).get('/emails')

    expect([status, body]).toEqual([
      200,
      {
        emails: [
          { id: 5, confirmed: false, email: 'aaa@example.org' },
          { id: 4, confirmed: false, email: 'Abe@example.org' },
          { id: 1, confirmed: true, email: ada.email },
          { id: 3, confirmed: false, email: 'Zoe@example.org' },
        ],
        errors: {},
        metadata: {},
      },
    ])
    expect(await idsOf(ben)).toEqual([2])
  })

  it.each([
    ['GET', '/api/v2/emails'],
    ['POST', '/api/v2/emails'],
    ['DELETE', '/api/v2/emails/1'],
    ['POST', '/api/v2/emails/1/confirmation'],
  ] as const)('returns 401 for an anonymous caller: %s %s', async (method, url) => {
    const answer = await app.as.anonymous.send(method, url)

    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('Bearer')
  })
})

describe('POST /emails', () => {
  it('adds an unconfirmed address without surrounding blanks, and mails it and the confirmed ones', async () => {
    const answer = await add(ada, ' Ada@work.example ')

    expect([answer.status, answer.body]).toEqual([201, { id: 3, confirmed: false, email: 'Ada@work.example' }])
    expect((await inbox.receive()).map(({ to, subject }) => [to, subject])).toEqual([
      ['Ada@work.example', 'Confirm your e-mail address'],
      [ada.email, 'An e-mail address was added to your account'],
    ])
  })

  it('accepts a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }

    const answer = await app.as.user(ada).send('POST', '/api/v2/emails', { body: 'email=ada%40work.example', headers })

    expect(answer.status).toBe(201)
  })

  it('gives the same error for one’s own and another account’s address, and accepts one with unconfirmed claims', async () => {
    await add(ben, 'shared@example.org')

    const answers = [await add(ada, ada.email.toUpperCase()), await add(ada, ben.email), await add(ada, 'SHARED@example.org')]

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [422, TAKEN],
      [422, TAKEN],
      [201, { id: 4, confirmed: false, email: 'SHARED@example.org' }],
    ])
    expect((await inbox.receive()).map(({ to }) => to)).toEqual(['shared@example.org', ben.email, 'SHARED@example.org', ada.email])
  })

  it.each([
    'ada',
    'a@b@c',
    'a b@c.d',
    'Ada <ada@example.org>',
    'ada@example.org,ben@example.org',
    'ada@example.org\r\nBcc: ben@example.org',
    `${'x'.repeat(65)}@c.d`,
    '',
    7,
  ])('is 422 for %j', async (email) => {
    const answer = await add(ada, email)

    expect([answer.status, answer.body]).toEqual([422, { email: 'must be an e-mail address' }])
  })

  it('accepts at most ten, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => add(ada, `ada.${index}@example.org`)))

    expect(answers.filter(({ status }) => status === 201).length).toBe(9)
    expect(answers.find(({ status }) => status === 422)?.body).toEqual({
      email: 'cannot be added: you already have the maximum of 10 addresses',
    })
    expect((await idsOf(ada)).length).toBe(10)
  })

  it('sends at most four mails an hour for an address that is added and deleted repeatedly', async () => {
    for (let round = 0; round < 6; round++) {
      const { body } = await add(ada, 'victim@example.org')
      const mails = (await inbox.receive()).filter(({ to }) => to === 'victim@example.org')
      expect(mails.length).toBe(round < 4 ? 1 : 0)
      await remove(ada, (body as { id: number }).id)
    }
  })
})

describe('DELETE /emails/:id', () => {
  let second: number
  beforeEach(async () => {
    second = ((await add(ada, 'ada@work.example')).body as { id: number }).id
  })

  it('returns 204, and the address can no longer log in', async () => {
    const answer = await remove(ada, second)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await idsOf(ada)).toEqual([1])
  })

  it('returns the address if the client prefers a representation', async () => {
    const answer = await remove(ada, second, 'respond-async, Return=representation; foo')

    expect([answer.status, answer.body]).toEqual([200, { id: second, confirmed: false, email: 'ada@work.example' }])
    expect(answer.headers['preference-applied']).toBe('return=representation')
  })

  it('returns 404 for an address of another user and for an invalid id', async () => {
    const answers = [await remove(ben, second), await remove(ada, 999), await remove(ada, 'x'), await remove(ada, '99999999999')]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await idsOf(ada)).length).toBe(2)
  })

  it('refuses to delete the last confirmed address', async () => {
    const refused = await remove(ada, 1)
    await confirm(second)
    const done = await remove(ada, 1)

    expect([refused.status, refused.body]).toEqual([
      422,
      { base: 'the last confirmed address of an account cannot be deleted: confirm another one first' },
    ])
    expect([done.status, await idsOf(ada)]).toEqual([204, [second]])
  })

  it('refuses to delete the only address', async () => {
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = NULL RETURNING id`)

    const answers = [await remove(ada, 1), await remove(ada, second)]

    expect(answers.map(({ status }) => status)).toEqual([204, 422])
    expect(answers[1]?.body).toEqual({ base: 'the only address of an account cannot be deleted: add another one first' })
  })

  it('refuses one of two concurrent deletions of the last confirmed addresses', async () => {
    await confirm(second)

    const answers = await Promise.all([remove(ada, 1), remove(ada, second)])

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
    expect((await idsOf(ada)).length).toBe(1)
  })

  it('returns 401 for a token that has expired', async () => {
    await app.db.execute(sql`DELETE FROM tokens RETURNING id`)

    expect((await app.as.anonymous.send('DELETE', `/api/v2/emails/${second}`, { headers: bearer(ada.token) })).status).toBe(401)
  })
})
