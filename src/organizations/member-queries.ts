import type { Database, PrismaHandle } from '../database/database.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { ownAddresses } from './members.ts'
import type { Invitation, MemberList } from './schema.ts'

/** Returns the members by name. Invitations contain addresses, so `mayManage` decides whether they are in the list. */
export async function listMembers({ prisma }: PrismaHandle, organization_id: number, mayManage: boolean): Promise<MemberList> {
  const [members, invitations] = await Promise.all([
    prisma.organizationMember.findMany({
      where: { organization_id },
      include: { user: { select: { name: true } } },
      orderBy: [{ user: { name: 'asc' } }, { user_id: 'asc' }],
    }),
    mayManage ? prisma.pendingMembership.findMany({ where: { organization_id }, orderBy: { id: 'asc' } }) : [],
  ])
  return {
    members: members.map(({ user_id, user, role, created_at }) => ({
      id: user_id,
      name: user.name,
      role,
      since: toTimestamp(created_at.toISOString()),
    })),
    invitations: invitations.map(({ id, email, role, created_at }) => ({
      id,
      email,
      role,
      invited_at: toTimestamp(created_at.toISOString()),
    })),
  }
}

/** Returns the invitations to confirmed addresses of the caller. */
export async function listInvitations({ prisma }: Database, { id }: Viewer): Promise<Invitation[]> {
  const rows = await prisma.pendingMembership.findMany({
    where: { email: { in: await ownAddresses(prisma, id) } },
    include: { organization: { select: { name: true } } },
    orderBy: { id: 'asc' },
  })
  return rows.map(({ id: invitation, organization_id, organization, role }) => ({
    id: invitation,
    organization_id,
    organization: organization.name,
    role,
  }))
}
