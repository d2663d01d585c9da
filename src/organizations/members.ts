import type { Database, PrismaHandle, Transaction } from '../database/database.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Invitation, MemberList } from './schema.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { assignableRoles } from '../http/identity/capabilities.ts'
import type { MemberRole } from '../http/identity/roles.ts'
import { text } from '../locales/texts.ts'
import { claimMemberships, lockMemberships, updateOfficialRoles } from './queries.ts'
import { countMail } from '../mail/limit-queries.ts'
import { recordMailEvent } from '../outbox/queries.ts'

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

/** Pending invitations of one organisation. Each has caused a mail. */
export const INVITATIONS_MAX = 200

interface NewInvitation {
  readonly organization_id: number
  readonly email: string
  readonly role: MemberRole
  readonly locale: string
}

/**
 * Invites the owner of an address and requests the mail. The result does not depend on accounts, so that it reveals nothing about the address.
 * A second invitation of the address changes the role and sends another mail. Returns the id of the invitation.
 * @throws Problem 403 if the caller may not give the role, 422 `{base}` with too many invitations
 */
export async function invite(
  tx: Transaction,
  by: Viewer,
  { organization_id, email: entered, role, locale }: NewInvitation,
): Promise<number> {
  requireRole(by, organization_id, role)
  await lockMemberships(tx)
  const email = entered.toLowerCase()
  const pending = await tx.prisma.pendingMembership.count({ where: { organization_id, NOT: { email } } })
  if (pending >= INVITATIONS_MAX) throw problems.invalid({ base: text('too_many_invitations', { max: INVITATIONS_MAX }) })
  const { id } = await tx.prisma.pendingMembership.upsert({
    where: { organization_id_email: { organization_id, email } },
    create: { organization_id, email, role, invited_by_id: by.id },
    update: { role, invited_by_id: by.id },
    select: { id: true },
  })
  await requestInvitationMail(tx, { organization_id, email, locale, by: by.id })
  return id
}

/** @throws Problem 404 for an unknown invitation, 403 if the caller may not give its role */
export async function withdrawInvitation(tx: Transaction, by: Viewer, organization_id: number, id: number): Promise<void> {
  await lockMemberships(tx)
  const invitation = await tx.prisma.pendingMembership.findUnique({ where: { id } })
  if (invitation?.organization_id !== organization_id) throw problems.notFound('the_invitation')
  requireRole(by, organization_id, invitation.role)
  await tx.prisma.pendingMembership.delete({ where: { id } })
}

/** Makes the caller a member. @throws Problem 404 unless the invitation is for a confirmed address of the caller */
export async function acceptInvitation(tx: Transaction, by: Viewer, id: number): Promise<number> {
  await lockMemberships(tx)
  const { email, organization_id } = await findOwnInvitation(tx, by, id)
  await claimMemberships(tx, by.id, email, organization_id)
  return organization_id
}

/** @throws Problem 404 as `acceptInvitation` */
export async function declineInvitation(tx: Transaction, by: Viewer, id: number): Promise<void> {
  await lockMemberships(tx)
  await findOwnInvitation(tx, by, id)
  await tx.prisma.pendingMembership.delete({ where: { id } })
}

async function findOwnInvitation({ prisma }: Transaction, by: Viewer, id: number) {
  const invitation = await prisma.pendingMembership.findUnique({ where: { id } })
  const isOwn = invitation && (await ownAddresses(prisma, by.id)).includes(invitation.email)
  if (!isOwn) throw problems.notFound('the_invitation')
  return invitation
}

/** Returns the confirmed addresses of an account in lower case. */
async function ownAddresses(prisma: Transaction['prisma'], user_id: number): Promise<string[]> {
  const rows = await prisma.emailAddress.findMany({
    where: { user_id, confirmed_at: { not: null }, removed_at: null },
    select: { email: true },
  })
  return rows.map(({ email }) => email.toLowerCase())
}

/** @throws Problem 404 for a user who is no member, 403 if the caller may not give or take the role, 422 `{base}` for the last owner */
export async function changeRole(
  tx: Transaction,
  by: Viewer,
  organization_id: number,
  user_id: number,
  role: MemberRole,
): Promise<void> {
  requireRole(by, organization_id, role)
  const member = await lockMember(tx, organization_id, user_id)
  requireRole(by, organization_id, member.role)
  if (member.role === role) return
  if (member.role === 'owner') await requireOtherOwner(tx, organization_id, user_id)
  await tx.prisma.organizationMember.update({ where: { organization_id_user_id: { organization_id, user_id } }, data: { role } })
}

/** Ends a membership. Members may leave by themselves. Issues that are assigned to them stay so. @throws Problem as `changeRole` */
export async function removeMember(tx: Transaction, by: Viewer, organization_id: number, user_id: number): Promise<void> {
  const member = await lockMember(tx, organization_id, user_id)
  if (user_id !== by.id) requireRole(by, organization_id, member.role)
  if (member.role === 'owner') await requireOtherOwner(tx, organization_id, user_id)
  await tx.prisma.organizationMember.delete({ where: { organization_id_user_id: { organization_id, user_id } } })
  await updateOfficialRoles(tx, [user_id])
}

async function lockMember(tx: Transaction, organization_id: number, user_id: number) {
  await lockMemberships(tx)
  const member = await tx.prisma.organizationMember.findUnique({ where: { organization_id_user_id: { organization_id, user_id } } })
  return orNotFound(member, 'the_member')
}

async function requireOtherOwner({ prisma }: Transaction, organization_id: number, user_id: number): Promise<void> {
  const others = await prisma.organizationMember.count({ where: { organization_id, role: 'owner', NOT: { user_id } } })
  if (others === 0) throw problems.invalid({ base: text('last_owner') })
}

function requireRole(by: Viewer, organizationId: number, role: MemberRole): void {
  if (assignableRoles(by, organizationId).includes(role)) return
  const capability = role === 'owner' ? 'manage_organization' : 'manage_members'
  throw problems.notPermitted(text('organization_capability_missing', { capability }))
}

interface InvitationMail {
  readonly organization_id: number
  readonly email: string
  readonly locale: string
  readonly by: number
}

/** Requests the mail of an invitation. A mail above the limit of its address is dropped silently: the invitation itself stays. */
async function requestInvitationMail(tx: Transaction, { organization_id, email, locale, by }: InvitationMail): Promise<void> {
  if ((await countMail(tx, 'invitation address', email)) === 0) return
  const event_id = await recordMailEvent(tx, { type: 'organization.member_invited', subject_id: organization_id, actor_id: by })
  await tx.prisma.mail.create({ data: { kind: 'invitation', event_id, email, locale } })
}
