import { expect } from 'vitest'

import { nextNumber, type PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, onlyOwner, type Row, UNKNOWN_ID } from '../row.ts'

/** The organisation of `employee`, who may read there but not manage members. */
const roads = ({ app }: PersonaRows) => app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Roads' } })
const at = async (world: PersonaRows, path: string) => api(`/organizations/${(await roads(world)).id}/${path}`)
const onlyAdmin = (status: number) => ({ anonymous: 401, admin: status })
const ANY_VERSION = { 'if-match': '*' }
const newAddress = () => `member${nextNumber()}@example.org`

async function createMember(world: PersonaRows, role: 'employee' | 'owner'): Promise<number> {
  return (await world.app.create.user({ memberOf: [{ organization: (await roads(world)).id, role }] })).id
}

/** Creates an invitation of the first, confirmed address of `owner`. */
async function createInvitation(world: PersonaRows, email?: string): Promise<number> {
  const { prisma } = world.app.db
  const address = await prisma.emailAddress.update({ where: { id: world.firstEmail }, data: { confirmed_at: new Date() } })
  const organization_id = (await roads(world)).id
  await prisma.pendingMembership.deleteMany()
  const { id } = await prisma.pendingMembership.create({ data: { organization_id, email: email ?? address.email.toLowerCase() } })
  return id
}

export const organizationRows: readonly Row[] = [
  {
    operation: 'listMembers',
    what: 'of an organisation',
    request: async (world) => ['GET', await at(world, 'members')],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200, admin: 200 },
  },
  {
    operation: 'listMembers',
    what: 'of an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/members`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'changeRole',
    what: 'of a member',
    request: async (world) => [
      'PUT',
      await at(world, `members/${await createMember(world, 'employee')}`),
      { role: 'manager' },
      ANY_VERSION,
    ],
    expected: 403,
    exceptFor: onlyAdmin(200),
  },
  {
    operation: 'changeRole',
    what: 'of a member of a list that has changed',
    request: async (world) => ['PUT', await at(world, 'members/1'), { role: 'manager' }, { 'if-match': '"1"' }],
    expected: 403,
    exceptFor: onlyAdmin(412),
  },
  {
    operation: 'changeRole',
    what: 'without the ETag of the list',
    request: async (world) => ['PUT', await at(world, 'members/1'), { role: 'manager' }],
    expected: 403,
    exceptFor: onlyAdmin(428),
  },
  {
    operation: 'changeRole',
    what: 'of a user who is no member',
    request: async (world) => ['PUT', await at(world, `members/${world.people.other.id}`), { role: 'manager' }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyAdmin(404),
  },
  {
    operation: 'changeRole',
    what: 'to an unknown role',
    request: async (world) => ['PUT', await at(world, 'members/1'), { role: 'chief' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'updateOrganization',
    what: 'its forwarding',
    request: async (world) => ['PUT', api(`/organizations/${(await roads(world)).id}`), { forwarding: null }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyAdmin(200),
  },
  {
    operation: 'updateOrganization',
    what: 'its forwarding without an endpoint',
    request: async (world) => ['PUT', api(`/organizations/${(await roads(world)).id}`), { forwarding: {} }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyAdmin(422),
  },
  {
    operation: 'removeMember',
    what: 'of an organisation',
    request: async (world) => ['DELETE', await at(world, `members/${await createMember(world, 'employee')}`)],
    expected: 403,
    exceptFor: onlyAdmin(204),
  },
  {
    operation: 'removeMember',
    what: 'who is none',
    request: async (world) => ['DELETE', await at(world, `members/${world.people.other.id}`)],
    expected: 403,
    exceptFor: onlyAdmin(404),
  },
  {
    operation: 'removeMember',
    what: 'who is the last owner',
    request: async (world) => {
      await world.app.db.prisma.organizationMember.deleteMany({ where: { role: 'owner' } })
      return ['DELETE', await at(world, `members/${await createMember(world, 'owner')}`)]
    },
    expected: 403,
    exceptFor: onlyAdmin(422),
  },
  {
    operation: 'inviteMember',
    what: 'with any role',
    request: async (world) => ['POST', await at(world, 'invitations'), { email: newAddress(), role: 'owner' }],
    expected: 403,
    exceptFor: onlyAdmin(201),
  },
  {
    operation: 'inviteMember',
    what: 'of an unknown organisation',
    request: () => ['POST', api(`/organizations/${UNKNOWN_ID}/invitations`), { email: newAddress(), role: 'owner' }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'inviteMember',
    what: 'without an address',
    request: async (world) => ['POST', await at(world, 'invitations'), { role: 'owner' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'withdrawInvitation',
    what: 'of an organisation',
    request: async (world) => ['DELETE', await at(world, `invitations/${await createInvitation(world, newAddress())}`)],
    expected: 403,
    exceptFor: onlyAdmin(204),
  },
  {
    operation: 'withdrawInvitation',
    what: 'that is unknown',
    request: async (world) => ['DELETE', await at(world, `invitations/${UNKNOWN_ID}`)],
    expected: 403,
    exceptFor: onlyAdmin(404),
  },
  {
    operation: 'listInvitations',
    what: 'to the confirmed addresses of the caller',
    request: async (world) => {
      await createInvitation(world)
      return ['GET', api('/invitations')]
    },
    expected: 200,
    exceptFor: anonymous401,
    check: ({ status, body }, persona) => {
      if (status === 200) expect((body as { invitations: object[] }).invitations).toHaveLength(persona === 'owner' ? 1 : 0)
    },
  },
  {
    operation: 'acceptInvitation',
    what: 'by the owner of the address alone',
    request: async (world) => ['POST', api(`/invitations/${await createInvitation(world)}/accept`)],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 201 },
  },
  {
    operation: 'acceptInvitation',
    what: 'that is unknown',
    request: () => ['POST', api(`/invitations/${UNKNOWN_ID}/accept`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'acceptInvitation',
    what: 'with an invalid id',
    request: () => ['POST', api('/invitations/1/accept?access-token=x')],
    expected: 422,
  },
  {
    operation: 'declineInvitation',
    what: 'by the owner of the address alone',
    request: async (world) => ['DELETE', api(`/invitations/${await createInvitation(world)}`)],
    expected: 404,
    exceptFor: onlyOwner,
  },
  {
    operation: 'listStaffRequestTypes',
    what: 'of an organisation',
    request: async (world) => ['GET', await at(world, 'request_types')],
    expected: 403,
    exceptFor: onlyAdmin(200),
  },
  {
    operation: 'listStaffRequestTypes',
    what: 'of an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/request_types`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'createRequestType',
    what: 'of an organisation',
    request: async (world) => ['POST', await at(world, 'request_types'), { title: `Bench ${nextNumber()}` }],
    expected: 403,
    exceptFor: onlyAdmin(201),
  },
  {
    operation: 'createRequestType',
    what: 'of an unknown organisation',
    request: () => ['POST', api(`/organizations/${UNKNOWN_ID}/request_types`), { title: `Bench ${nextNumber()}` }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'createRequestType',
    what: 'without a title',
    request: async (world) => ['POST', await at(world, 'request_types'), { category: 'x' }],
    expected: 403,
    exceptFor: onlyAdmin(422),
  },
  {
    operation: 'changeRequestType',
    what: 'of an organisation',
    request: async (world) => ['PUT', await at(world, `request_types/${world.type}`), { position: 3 }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyAdmin(200),
  },
  {
    operation: 'changeRequestType',
    what: 'that has changed',
    request: async (world) => ['PUT', await at(world, `request_types/${world.type}`), { position: 3 }, { 'if-match': '"1"' }],
    expected: 403,
    exceptFor: onlyAdmin(412),
  },
  {
    operation: 'changeRequestType',
    what: 'without its ETag',
    request: async (world) => ['PUT', await at(world, `request_types/${world.type}`), { position: 3 }],
    expected: 403,
    exceptFor: onlyAdmin(428),
  },
  {
    operation: 'getStaffRequestType',
    what: 'of an organisation',
    request: async (world) => ['GET', await at(world, `request_types/${world.type}`)],
    expected: 403,
    exceptFor: onlyAdmin(200),
  },
  {
    operation: 'getStaffRequestType',
    what: 'that is unknown',
    request: async (world) => ['GET', await at(world, `request_types/${UNKNOWN_ID}`)],
    expected: 403,
    exceptFor: onlyAdmin(404),
  },
  {
    operation: 'changeRequestType',
    what: 'that is unknown',
    request: async (world) => ['PUT', await at(world, `request_types/${UNKNOWN_ID}`), { position: 3 }, ANY_VERSION],
    expected: 403,
    exceptFor: onlyAdmin(404),
  },
  {
    operation: 'changeRequestType',
    what: 'with an invalid value',
    request: async (world) => ['PUT', await at(world, `request_types/${world.type}`), { active: 'x' }],
    expected: 422,
    exceptFor: anonymous401,
  },
]
