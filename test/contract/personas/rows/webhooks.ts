import { expect } from 'vitest'

import { api, anonymous401, onlyOwner, type Request, type Row } from '../row.ts'
import type { PersonaRows } from '../persona-rows.ts'

/** A private address, so that no message leaves the machine. */
const url = 'https://10.0.0.1/hook'

async function createOwn({ app, people }: PersonaRows): Promise<number> {
  const data = { user_id: people.owner.id, url, query: '', kinds: ['created'], signature: 'v1', secret: 'whsec_' }
  return (await app.db.prisma.webhook.create({ data })).id
}

const withOwn = (method: Request[0], path: string, body?: unknown) => async (world: PersonaRows) => {
  const id = await createOwn(world)
  return [method, api(`/webhooks/${id}${path}`), body] as const
}
const theirs = (status: number) => ({ anonymous: 401, owner: status })

export const webhookRows: readonly Row[] = [
  {
    operation: 'createWebhook',
    what: 'a webhook of the account',
    request: () => ['POST', api('/webhooks'), { url, query: 'status=open' }],
    expected: 201,
    exceptFor: anonymous401,
    check: ({ body }, persona) => {
      if (persona !== 'anonymous') expect(body).toMatchObject({ state: 'untested', organization_id: null })
    },
  },
  {
    operation: 'createWebhook',
    what: 'a webhook of an unknown organisation',
    request: () => ['POST', api('/webhooks'), { url, organization_id: 999_999 }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'createWebhook',
    what: 'a webhook with a misspelt parameter',
    request: () => ['POST', api('/webhooks'), { url, query: 'plcae_url=denver' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'listWebhooks',
    what: 'the own webhooks',
    request: () => ['GET', api('/webhooks')],
    expected: 200,
    exceptFor: anonymous401,
  },
  { operation: 'getWebhook', what: 'a webhook of the owner', request: withOwn('GET', ''), expected: 404, exceptFor: theirs(200) },
  {
    operation: 'updateWebhook',
    what: 'a webhook of the owner',
    request: withOwn('PUT', '', { kinds: ['gone'] }),
    expected: 404,
    exceptFor: theirs(200),
  },
  {
    operation: 'updateWebhook',
    what: 'an address that is none',
    request: withOwn('PUT', '', { url: 'example.org' }),
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'updateWebhook',
    what: 'another version than the caller has read',
    request: async (world) => ['PUT', api(`/webhooks/${await createOwn(world)}`), {}, { 'if-match': '"x.y"' }],
    expected: 404,
    exceptFor: theirs(412),
  },
  {
    operation: 'deleteWebhook',
    what: 'a webhook of the owner',
    request: withOwn('DELETE', ''),
    expected: 404,
    exceptFor: onlyOwner,
  },
  {
    operation: 'renewWebhookSecret',
    what: 'a webhook of the owner',
    request: withOwn('POST', '/secret'),
    expected: 404,
    exceptFor: theirs(201),
  },
  {
    operation: 'testWebhook',
    what: 'a webhook of the owner',
    request: withOwn('POST', '/test'),
    expected: 404,
    exceptFor: theirs(200),
  },
  {
    operation: 'replayWebhook',
    what: 'a webhook of the owner',
    request: async (world) => {
      const id = await createOwn(world)
      const { body } = await world.app.as.anonymous.get('/changes')
      return ['POST', api(`/webhooks/${id}/replay`), { since: (body as { next_since: string }).next_since }]
    },
    expected: 404,
    exceptFor: theirs(200),
  },
  {
    operation: 'replayWebhook',
    what: 'a text that is no cursor',
    request: withOwn('POST', '/replay', { since: 'x' }),
    expected: 404,
    exceptFor: theirs(422),
  },
  {
    operation: 'replayWebhook',
    what: 'a cursor that is no longer good',
    request: withOwn('POST', '/replay', {
      since: Buffer.from('9e107d9d372bb6826bd81d3542a419d6 1 -1 1').toString('base64url'),
    }),
    expected: 404,
    exceptFor: theirs(410),
  },
  {
    operation: 'listWebhookDeliveries',
    what: 'the messages of a webhook of the owner',
    request: withOwn('GET', '/deliveries'),
    expected: 404,
    exceptFor: theirs(200),
  },
]
