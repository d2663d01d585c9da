import { expect } from 'vitest'

import { sql } from '../../../../src/database/database.ts'
import { hashToken } from '../../../../src/http/identity/credentials.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import { bearer } from '../../../http/app-on.ts'
import { api, form, image, type Row, UNKNOWN_ID, UNKNOWN_LINK } from '../row.ts'
import { at, nextNumber, createResetLink, createToken, PASSWORD, type Persona } from '../persona-rows.ts'
import { queryRows } from '../../../helpers/query-rows.ts'

const account = {
  name: 'New One',
  email: 'new@example.org',
  password: PASSWORD,
  password_confirmation: PASSWORD,
  accept_terms: true,
}
const newAccount = () => ({ ...account, email: `new${nextNumber()}@example.org` })
const newPassword = { password: 'another one', password_confirmation: 'another one' }
const asText = (fields: object) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
const noImage = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
/** The interface defines this status for the operation. */
const onlyMembers = { anonymous: 422 }

const reportsErrorOf = (field: string) => (answer: ApiResponse, persona: Persona) =>
  expect(answer.body).toEqual({ errors: { [persona === 'anonymous' ? 'login' : field]: expect.anything() as unknown } })

export const accountRows: readonly Row[] = [
  {
    operation: 'createUser',
    what: 'an account',
    request: () => ['POST', api('/users'), newAccount()],
    expected: 201,
    check: ({ text }) => expect(text).not.toContain('@'),
  },
  {
    operation: 'createUser',
    what: 'an account with a picture',
    request: () => ['POST', api('/users'), form({ ...asText(newAccount()), uploaded_data: image })],
    expected: 201,
  },
  {
    operation: 'createUser',
    what: 'an account with a file that is not a picture',
    request: () => ['POST', api('/users'), form({ ...asText(newAccount()), uploaded_data: noImage })],
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ errors: { uploaded_data: expect.anything() as unknown } }),
  },
  {
    operation: 'createUser',
    what: 'an account with invalid fields',
    request: () => ['POST', api('/users'), { ...account, name: 'A' }],
    expected: 422,
  },
  {
    operation: 'createUser',
    what: 'an account with a taken address',
    request: ({ people }) => ['POST', api('/users'), { ...account, email: people.owner.email }],
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ errors: { email: expect.anything() as unknown } }),
  },
  {
    operation: 'listUsers',
    what: 'users who share a location; none has a public report',
    request: () => ['GET', api(`/users?${at}`)],
    expected: 200,
    check: ({ body }) => expect(body).toMatchObject({ users: [] }),
  },
  { operation: 'listUsers', what: 'users without a point', request: () => ['GET', api('/users')], expected: 400 },
  {
    operation: 'listUsers',
    what: 'users at an invalid point',
    request: () => ['GET', api('/users?lat=91&lng=0')],
    expected: 422,
  },
  {
    operation: 'getUser',
    what: 'a user without their private fields',
    request: (world) => ['GET', api(`/users/${world.people.owner.id}`)],
    expected: 200,
    check: ({ text, body }) => {
      expect(body).not.toHaveProperty('share_location')
      expect(body).toMatchObject({ name: 'Owner', reported_issue_count: 0 })
      expect(text).not.toContain('@')
    },
  },
  { operation: 'getUser', what: 'an unknown user', request: () => ['GET', api(`/users/${UNKNOWN_ID}`)], expected: 404 },
  {
    operation: 'getProfile',
    what: 'the caller’s own profile',
    request: () => ['GET', api('/profile')],
    expected: 200,
    check: ({ body }, persona, { people }) => {
      if (persona === 'anonymous') expect(body).toEqual({ id: null })
      else expect(body).toMatchObject({ id: people[persona].id, share_location: persona === 'owner' })
    },
  },
  {
    operation: 'updateProfile',
    what: 'a new name',
    request: () => ['PUT', api('/profile'), { name: 'Another Name' }],
    expected: 200,
    exceptFor: onlyMembers,
    check: async (_answer, persona, { app, people }) => {
      const changed = await queryRows(
        app.db,
        sql`SELECT u.id FROM users u WHERE u.name = 'Another Name' ORDER BY u.updated_at DESC, u.id`,
      )
      const [first] = persona === 'anonymous' ? [undefined] : [{ id: people[persona].id }]
      expect(changed[0]).toEqual(first)
    },
  },
  {
    operation: 'updateProfile',
    what: 'a new picture',
    request: () => ['PUT', api('/profile'), form({ uploaded_data: image })],
    expected: 200,
    exceptFor: onlyMembers,
  },
  {
    operation: 'updateProfile',
    what: 'a file that is not a picture',
    request: () => ['PUT', api('/profile'), form({ uploaded_data: noImage })],
    expected: 422,
    check: reportsErrorOf('uploaded_data'),
  },
  {
    operation: 'updateProfile',
    what: 'a taken address',
    request: ({ people }) => ['PUT', api('/profile'), { email: people.owner.email }],
    expected: 422,
    check: reportsErrorOf('email'),
  },
  {
    operation: 'updateProfile',
    what: 'a new password without the current one',
    request: () => ['PUT', api('/profile'), newPassword],
    expected: 422,
    check: reportsErrorOf('current_password'),
  },
  {
    operation: 'updateProfile',
    what: 'a new password with the current one, which ends all other tokens',
    request: async (world, persona) => {
      if (persona !== 'anonymous') await createToken(world, world.people[persona].id)
      return ['PUT', api('/profile'), { ...newPassword, current_password: PASSWORD }]
    },
    expected: 200,
    exceptFor: onlyMembers,
    check: async (_answer, persona, { app, people }) => {
      if (persona === 'anonymous') return
      const { id, token } = people[persona]
      const left = await queryRows(app.db, sql`SELECT t.token_hash FROM tokens t WHERE t.user_id = ${id}`)
      expect(left).toEqual([{ token_hash: hashToken(token) }])
    },
  },
  {
    operation: 'updateProfile',
    what: 'another role, which is ignored',
    request: () => ['PUT', api('/profile'), { role: 'Admin', civic_points: 9_999 }],
    expected: 200,
    exceptFor: onlyMembers,
    check: async (_answer, _persona, { app, people }) => {
      const risen = await queryRows(app.db, sql`SELECT u.id FROM users u WHERE u.role = 'Admin' OR u.civic_points > 100`)
      expect(risen).toEqual([{ id: people.admin.id }])
    },
  },
  {
    operation: 'exportProfile',
    what: 'a copy of the data',
    request: () => ['POST', api('/profile/export')],
    expected: 202,
    exceptFor: { anonymous: 401 },
  },
  {
    operation: 'exportProfile',
    what: 'a fourth copy on one day',
    request: async ({ app, people }, persona) => {
      if (persona !== 'anonymous')
        for (let count = 0; count < 3; count++)
          await app.as.anonymous.send('POST', api('/profile/export'), { headers: bearer(people[persona].token) })
      return ['POST', api('/profile/export')]
    },
    expected: 422,
    exceptFor: { anonymous: 401 },
  },
  {
    operation: 'deleteProfile',
    what: 'a link that deletes the account',
    request: () => ['DELETE', api('/profile'), {}],
    expected: 202,
    exceptFor: { anonymous: 401 },
  },
  {
    operation: 'deleteProfile',
    what: 'the account, with a wrong password',
    request: () => ['DELETE', api('/profile'), { current_password: 'wrong' }],
    expected: 422,
    exceptFor: { anonymous: 401 },
  },
  {
    operation: 'deleteProfile',
    what: 'the account, with the password',
    request: () => ['DELETE', api('/profile'), { current_password: PASSWORD, content: 'delete' }],
    expected: 204,
    exceptFor: { anonymous: 401 },
    check: async (_answer, persona, { app, people }) => {
      if (persona !== 'anonymous') expect(await app.db.prisma.user.count({ where: { id: people[persona].id } })).toBe(0)
    },
  },
  {
    operation: 'forgetPassword',
    what: 'a mail to a known address',
    request: (world) => ['POST', api('/passwords/forgot'), { email: world.people.owner.email }],
    expected: 202,
    check: ({ body }) => expect(body).toEqual({ message: expect.any(String) as string }),
  },
  {
    operation: 'forgetPassword',
    what: 'a mail to an unknown address',
    request: () => ['POST', api('/passwords/forgot'), { email: 'unknown@example.org' }],
    expected: 202,
    check: async ({ text }, _persona, { app, people }) => {
      const known = await app.as.anonymous.send('POST', api('/passwords/forgot'), { body: { email: people.owner.email } })
      expect(text).toBe(known.text)
    },
  },
  {
    operation: 'forgetPassword',
    what: 'a mail without an address',
    request: () => ['POST', api('/passwords/forgot'), {}],
    expected: 422,
  },
  {
    operation: 'resetPassword',
    what: 'the link of a mail, which works for every caller and ends all tokens of its account',
    request: async (world) => ['POST', api('/passwords/reset'), { token: await createResetLink(world), ...newPassword }],
    expected: 204,
    check: async (_answer, _persona, { app, people }) => {
      expect(await queryRows(app.db, sql`SELECT t.id FROM tokens t WHERE t.user_id = ${people.owner.id}`)).toEqual([])
    },
  },
  {
    operation: 'resetPassword',
    what: 'a link that was used before',
    request: async (world) => {
      const body = { token: await createResetLink(world), ...newPassword }
      expect((await world.app.as.anonymous.send('POST', api('/passwords/reset'), { body })).status).toBe(204)
      await createResetLink(world)
      return ['POST', api('/passwords/reset'), body]
    },
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ token: expect.any(String) as string }),
  },
  {
    operation: 'resetPassword',
    what: 'an unknown link',
    request: () => ['POST', api('/passwords/reset'), { token: UNKNOWN_LINK, ...newPassword }],
    expected: 422,
  },
]
