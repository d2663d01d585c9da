import { expect } from 'vitest'

import { hashToken } from '../../../../src/http/identity/credentials.ts'
import { api, anonymous401, onlyOwner, type Row, UNKNOWN_LINK } from '../row.ts'
import { nextNumber, fillEmails, createConfirmLink, PASSWORD } from '../persona-rows.ts'

export const emailRows: readonly Row[] = [
  {
    operation: 'listEmails',
    what: 'the caller’s own addresses',
    request: () => ['GET', api('/emails')],
    expected: 200,
    exceptFor: anonymous401,
    check: ({ body }, persona, { people }) => {
      if (persona === 'anonymous') return
      const { emails } = body as { emails: { email: string }[] }
      const own = [people[persona].email, ...(persona === 'owner' ? ['second@example.org'] : [])]
      expect(emails.map(({ email }) => email)).toEqual(own)
    },
  },
  {
    operation: 'createEmail',
    what: 'a new address',
    request: () => ['POST', api('/emails'), { email: `more${nextNumber()}@example.org` }],
    expected: 201,
    exceptFor: anonymous401,
    check: async ({ body }, persona, { app, people }) => {
      if (persona === 'anonymous') return
      const { id, confirmed } = body as { id: number; confirmed: boolean }
      expect(confirmed).toBe(false)
      expect(await app.db.prisma.emailAddress.findUnique({ where: { id } })).toMatchObject({ user_id: people[persona].id })
    },
  },
  {
    operation: 'createEmail',
    what: 'an invalid address',
    request: () => ['POST', api('/emails'), { email: 'more' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'createEmail',
    what: 'a taken address, without its owner',
    request: ({ people }) => ['POST', api('/emails'), { email: people.owner.email.toUpperCase() }],
    expected: 422,
    exceptFor: anonymous401,
    check: async ({ text }, persona, { app, people }) => {
      if (persona === 'anonymous') return
      const own = await app.as.user(people.owner).send('POST', api('/emails'), { body: { email: people.owner.email } })
      expect(text).toBe(own.text)
    },
  },
  {
    operation: 'createEmail',
    what: 'an eleventh address',
    request: async (world, persona) => {
      if (persona !== 'anonymous') await fillEmails(world, world.people[persona].id)
      return ['POST', api('/emails'), { email: `more${nextNumber()}@example.org` }]
    },
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'requestEmailConfirmation',
    what: 'a mail for an address of the owner',
    request: (world) => ['POST', api(`/emails/${world.secondEmail}/confirmation`)],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 202 },
  },
  {
    operation: 'requestEmailConfirmation',
    what: 'a mail for a confirmed address of the owner',
    request: (world) => ['POST', api(`/emails/${world.firstEmail}/confirmation`)],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 422 },
  },
  {
    operation: 'deleteEmail',
    what: 'an address of the owner',
    request: (world) => ['DELETE', api(`/emails/${world.secondEmail}`)],
    expected: 404,
    exceptFor: onlyOwner,
  },
  {
    operation: 'deleteEmail',
    what: 'an address of the owner, with Prefer: return=representation',
    request: (world) => ['DELETE', api(`/emails/${world.secondEmail}`), undefined, { prefer: 'return=representation' }],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 200 },
    check: ({ body }, persona, { secondEmail }) => {
      if (persona === 'owner') expect(body).toEqual({ id: secondEmail, confirmed: false, email: 'second@example.org' })
    },
  },
  {
    operation: 'deleteEmail',
    what: 'the last confirmed address of the owner',
    request: (world) => ['DELETE', api(`/emails/${world.firstEmail}`)],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 422 },
  },
  {
    operation: 'confirmEmail',
    what: 'the link of a mail with the password of the account, from every caller',
    request: async (world) => ['POST', api('/emails/confirm'), { token: await createConfirmLink(world), password: PASSWORD }],
    expected: 200,
    check: async ({ body }, _persona, { app, people }) => {
      const { id, confirmed } = body as { id: number; confirmed: boolean }
      expect(confirmed).toBe(true)
      const row = await app.db.prisma.emailAddress.findUnique({ where: { id } })
      expect(row).toMatchObject({ user_id: people.owner.id, confirmed_at: expect.any(Date) as Date })
    },
  },
  {
    operation: 'confirmEmail',
    what: 'a link that was used before, with the same response',
    request: async (world) => {
      const body = { token: await createConfirmLink(world), password: PASSWORD }
      expect((await world.app.as.anonymous.send('POST', api('/emails/confirm'), { body })).status).toBe(200)
      return ['POST', api('/emails/confirm'), body]
    },
    expected: 200,
    check: ({ body }) => expect(body).toMatchObject({ confirmed: true }),
  },
  {
    operation: 'confirmEmail',
    what: 'an expired link',
    request: async (world) => {
      const token = await createConfirmLink(world)
      const ended = { expires_at: new Date(Date.now() - 1_000) }
      await world.app.db.prisma.oneTimeToken.update({ where: { token_hash: hashToken(token) }, data: ended })
      return ['POST', api('/emails/confirm'), { token, password: PASSWORD }]
    },
    expected: 422,
  },
  {
    operation: 'confirmEmail',
    what: 'an unknown link',
    request: () => ['POST', api('/emails/confirm'), { token: UNKNOWN_LINK, password: PASSWORD }],
    expected: 422,
  },
  {
    operation: 'confirmEmail',
    what: 'a wrong password',
    request: async (world) => ['POST', api('/emails/confirm'), { token: await createConfirmLink(world), password: 'wrong' }],
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ password: 'must be the password of the account that added the address' }),
  },
  {
    operation: 'getEmailConfirmationPage',
    what: 'the page of a link, which changes nothing',
    request: async (world) => ['GET', api(`/emails/confirm?token=${await createConfirmLink(world)}`)],
    expected: 200,
    check: async (_answer, _persona, { app, people }) => {
      const confirmed = { user_id: people.owner.id, confirmed_at: { not: null } }
      expect(await app.db.prisma.emailAddress.count({ where: confirmed })).toBe(1)
    },
  },
  {
    operation: 'getEmailConfirmationPage',
    what: 'the page of an unknown link',
    request: () => ['GET', api(`/emails/confirm?token=${UNKNOWN_LINK}`)],
    expected: 422,
  },
]
