import { expect } from 'vitest'

import { api, anonymous401, onlyOwner, type Row } from '../row.ts'
import { fillTokens, PASSWORD, type PersonaRows } from '../persona-rows.ts'

const credentialsOf = ({ people }: PersonaRows, password = PASSWORD) => ({ email: people.owner.email, password })
const grantOf = ({ people }: PersonaRows, password = PASSWORD) => ({
  grant_type: 'password',
  username: people.owner.email,
  password,
})

/** The token belongs to the user whose password was sent, not to the caller. */
async function opensAccountOfOwner({ app, people }: PersonaRows, token: string): Promise<void> {
  const { body } = await app.as.anonymous.get('/profile', { authorization: `Bearer ${token}` })
  expect(body).toMatchObject({ id: people.owner.id })
}

export const tokenRows: readonly Row[] = [
  {
    operation: 'createToken',
    what: 'a token with the password of the owner',
    request: (world) => ['POST', api('/tokens'), credentialsOf(world)],
    expected: 201,
    check: ({ body }, _persona, world) => opensAccountOfOwner(world, (body as { token: string }).token),
  },
  {
    operation: 'createToken',
    what: 'a wrong password',
    request: (world) => ['POST', api('/tokens'), credentialsOf(world, 'wrong')],
    expected: 401,
  },
  {
    operation: 'createToken',
    what: 'a bearer token without a password',
    request: () => ['POST', api('/tokens'), {}],
    expected: 401,
  },
  {
    operation: 'createToken',
    what: 'a token that has already expired',
    request: (world) => ['POST', api('/tokens'), { ...credentialsOf(world), expires_at: '2020-01-01T00:00:00Z' }],
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ expires_at: expect.any(String) as string }),
  },
  {
    operation: 'createToken',
    what: 'a token over the maximum of a hundred',
    request: async (world) => {
      await fillTokens(world)
      return ['POST', api('/tokens'), credentialsOf(world)]
    },
    expected: 422,
    check: ({ body }) => expect(body).toEqual({ base: expect.any(String) as string }),
  },
  {
    operation: 'listTokens',
    what: 'the caller’s own tokens, without their secrets',
    request: () => ['GET', api('/tokens')],
    expected: 200,
    exceptFor: anonymous401,
    check: ({ body }, persona) => {
      if (persona === 'anonymous') return
      const own = [{ name: null }, ...(persona === 'owner' ? [{ name: 'Of the owner' }] : [])]
      const { tokens } = body as { tokens: object[] }
      expect(tokens).toEqual(own.map((token) => expect.objectContaining(token) as unknown))
      expect(tokens.every((token) => !('token' in token))).toBe(true)
    },
  },
  {
    operation: 'deleteToken',
    what: 'a token of the owner',
    request: (world) => ['DELETE', api(`/tokens/${world.token}`)],
    expected: 404,
    exceptFor: onlyOwner,
  },
  {
    operation: 'grantToken',
    what: 'a grant with the password of the owner',
    request: (world) => ['POST', api('/oauth/token'), grantOf(world)],
    expected: 200,
    check: ({ body }, _persona, world) => opensAccountOfOwner(world, (body as { access_token: string }).access_token),
  },
  {
    operation: 'grantToken',
    what: 'a wrong password',
    request: (world) => ['POST', api('/oauth/token'), grantOf(world, 'wrong')],
    expected: 400,
    check: ({ body }) => expect(body).toMatchObject({ error: 'invalid_grant' }),
  },
  {
    operation: 'grantToken',
    what: 'a grant over the maximum of a hundred tokens',
    request: async (world) => {
      await fillTokens(world)
      return ['POST', api('/oauth/token'), grantOf(world)]
    },
    expected: 422,
  },
]
