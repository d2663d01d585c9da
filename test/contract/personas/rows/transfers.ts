import { expect } from 'vitest'

import type { Transfer } from '../../../../src/staff/transfers/schema.ts'
import { nextNumber, type PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, type Row, UNKNOWN_ID } from '../row.ts'

const ANY_VERSION = { 'if-match': '*' }
const REASON = 'The branch hangs over a park.'

/** The organisations of `employee` and of `elsewhere`. Both areas cover all issues. */
const organizations = async ({ app }: PersonaRows) => {
  const [parks, roads] = await app.db.prisma.organization.findMany({
    where: { name: { in: ['Parks', 'Roads'] } },
    orderBy: { name: 'asc' },
  })
  return { parks: parks?.id ?? 0, roads: roads?.id ?? 0 }
}

/** An offer of an issue of Roads to Parks, with a type of Parks. */
async function createOffer(world: PersonaRows, state = 'offered'): Promise<{ readonly id: number; readonly type: number }> {
  const { app, people, type: request_type } = world
  const { parks, roads } = await organizations(world)
  const type = await app.create.requestType({ organization: parks })
  const data = {
    issue_id: await app.create.issue({ request_type }),
    from_id: roads,
    to_id: parks,
    reason: REASON,
    offered_by: people.employee.id,
    state,
  }
  return { id: (await app.db.prisma.issueTransfer.create({ data })).id, type }
}

const onlySender = (status: number) => ({ anonymous: 401, employee: status, elsewhere: 403, moderator: 403, admin: status })

const answerRows = (operation: 'acceptTransfer' | 'refuseTransfer'): Row[] => {
  const step = operation === 'acceptTransfer' ? 'accept' : 'refuse'
  const body = (type: number) => (step === 'accept' ? { request_type_id: type } : { refusal: `${REASON} ${nextNumber()}` })
  const onlyReceiver = (status: number) => ({ anonymous: 401, employee: 403, elsewhere: status, moderator: 403, admin: status })
  return [
    {
      operation,
      what: 'an offer, only by those who work on issues of the receiver; others may not know it',
      request: async (world) => {
        const { id, type } = await createOffer(world)
        return ['POST', api(`/transfers/${id}/${step}`), body(type), ANY_VERSION]
      },
      expected: 404,
      exceptFor: onlyReceiver(200),
      check: ({ status, body: transfer }) => {
        if (status === 200) expect((transfer as Transfer).state).toBe(step === 'accept' ? 'accepted' : 'refused')
      },
    },
    {
      operation,
      what: 'of an old version',
      request: async (world) => {
        const { id, type } = await createOffer(world)
        return ['POST', api(`/transfers/${id}/${step}`), body(type), { 'if-match': '"99"' }]
      },
      expected: 404,
      exceptFor: onlyReceiver(412),
    },
    {
      operation,
      what: 'without a version',
      request: () => ['POST', api(`/transfers/1/${step}`), body(1)],
      expected: 428,
      exceptFor: anonymous401,
    },
    {
      operation,
      what: 'without a body',
      request: () => ['POST', api(`/transfers/1/${step}`), {}, ANY_VERSION],
      expected: 422,
      exceptFor: anonymous401,
    },
  ]
}

const offer = async (world: PersonaRows) => ({
  organization_id: (await organizations(world)).parks,
  reason: `${REASON} ${nextNumber()}`,
})

export const transferRows: readonly Row[] = [
  {
    operation: 'offerTransfer',
    what: 'an issue of the organisation',
    request: async (world) => [
      'POST',
      api(`/issues/${await world.app.create.issue({ request_type: world.type })}/transfer`),
      await offer(world),
      ANY_VERSION,
    ],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 201, admin: 201 },
  },
  {
    operation: 'offerTransfer',
    what: 'without a version',
    request: async (world) => ['POST', api(`/issues/${world.anonymousIssue}/transfer`), await offer(world)],
    expected: 428,
    exceptFor: anonymous401,
  },
  {
    operation: 'offerTransfer',
    what: 'of an old version',
    request: async (world) => ['POST', api(`/issues/${world.anonymousIssue}/transfer`), await offer(world), { 'if-match': '"99"' }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 412, admin: 412 },
  },
  {
    operation: 'offerTransfer',
    what: 'an unknown issue',
    request: async (world) => ['POST', api(`/issues/${UNKNOWN_ID}/transfer`), await offer(world), ANY_VERSION],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'offerTransfer',
    what: 'without a reason',
    request: (world) => ['POST', api(`/issues/${world.anonymousIssue}/transfer`), { organization_id: 1 }, ANY_VERSION],
    expected: 422,
    exceptFor: anonymous401,
  },
  ...answerRows('acceptTransfer'),
  ...answerRows('refuseTransfer'),
  {
    operation: 'withdrawTransfer',
    what: 'an offer, only by those who work on issues of the sender; others may not know it',
    request: async (world) => ['POST', api(`/transfers/${(await createOffer(world)).id}/withdraw`), undefined, ANY_VERSION],
    expected: 404,
    exceptFor: onlySender(200),
    check: ({ status, body: transfer }) => {
      if (status === 200) expect((transfer as Transfer).state).toBe('withdrawn')
    },
  },
  {
    operation: 'withdrawTransfer',
    what: 'of an old version',
    request: async (world) => [
      'POST',
      api(`/transfers/${(await createOffer(world)).id}/withdraw`),
      undefined,
      { 'if-match': '"99"' },
    ],
    expected: 404,
    exceptFor: onlySender(412),
  },
  {
    operation: 'withdrawTransfer',
    what: 'an offer that was refused',
    request: async (world) => [
      'POST',
      api(`/transfers/${(await createOffer(world, 'refused')).id}/withdraw`),
      undefined,
      ANY_VERSION,
    ],
    expected: 404,
    exceptFor: onlySender(422),
  },
  {
    operation: 'withdrawTransfer',
    what: 'without a version',
    request: () => ['POST', api('/transfers/1/withdraw')],
    expected: 428,
    exceptFor: anonymous401,
  },
  {
    operation: 'listTransfers',
    what: 'of an organisation',
    request: async (world) => ['GET', api(`/organizations/${(await organizations(world)).roads}/transfers`)],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200, admin: 200 },
  },
  {
    operation: 'listTransfers',
    what: 'of an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/transfers`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'changeType',
    what: 'to a type of another organisation',
    request: async (world) => [
      'PUT',
      api(`/issues/${await world.app.create.issue({ request_type: world.type })}/type`),
      { request_type_id: await world.app.create.requestType({ organization: (await organizations(world)).parks }) },
      ANY_VERSION,
    ],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 202, admin: 202 },
  },
  {
    operation: 'listTransfers',
    what: 'with a page that is no number',
    request: async (world) => ['GET', api(`/organizations/${(await organizations(world)).roads}/transfers?page=x`)],
    expected: 422,
    exceptFor: anonymous401,
  },
]
