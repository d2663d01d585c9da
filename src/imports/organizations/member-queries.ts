import Type from 'typebox'

import { Id, nullable, stringEnum, sql, type Transaction } from '../../database/database.ts'
import { type MemberRole, memberRoles } from '../../http/identity/roles.ts'
import type { MemberInput } from './organization-file.ts'
import type { OrganizationsReport } from './organizations-report.ts'

type Counts = Pick<OrganizationsReport, 'members' | 'unconfirmed'>

const ResolvedMember = Type.Object({
  email: Type.String(),
  role: stringEnum(memberRoles),
  /** Null if no user has confirmed the address. */
  user_id: nullable(Id),
})

/** Requires `lockMemberships`. Returns added and removed users. Unconfirmed members stay pending: anyone can claim an address. */
export async function writeMembers(
  tx: Transaction,
  organizationId: number,
  input: readonly MemberInput[],
  counts: Counts,
): Promise<number[]> {
  const resolved = await tx.query(sql.type(ResolvedMember)`
    SELECT lower(member.email) AS email, member.role, e.user_id
    FROM unnest(${input.map(({ email }) => email)}::text[], ${input.map(({ role }) => role)}::text[])
      WITH ORDINALITY AS member (email, role, position)
    LEFT JOIN email_addresses e ON lower(e.email) = lower(member.email) AND e.confirmed_at IS NOT NULL
    ORDER BY member.position`)
  const members = new Map<number, MemberRole>()
  for (const { user_id, role } of resolved) {
    // An account with two of the addresses gets the higher role.
    if (user_id !== null) members.set(user_id, higherRole(role, members.get(user_id)))
  }
  const pending = new Map(resolved.filter(({ user_id }) => user_id === null).map(({ email, role }) => [email, role]))
  counts.unconfirmed.push(...pending.keys())
  await writePendingMembers(tx, organizationId, pending, counts)
  return writeActiveMembers(tx, organizationId, members, counts)
}

const higherRole = (role: MemberRole, other: MemberRole = role): MemberRole =>
  memberRoles.indexOf(role) < memberRoles.indexOf(other) ? other : role

async function writeActiveMembers(
  { prisma }: Transaction,
  organization_id: number,
  members: ReadonlyMap<number, MemberRole>,
  counts: Counts,
) {
  const known = await prisma.organizationMember.findMany({ where: { organization_id }, orderBy: { user_id: 'asc' } })
  const before = new Map(known.map(({ user_id, role }) => [user_id, role]))
  const { removed, written, added } = compareMembers(before, members, counts)
  await prisma.organizationMember.deleteMany({ where: { organization_id, user_id: { in: removed } } })
  for (const [user_id, role] of written.toSorted(([a], [b]) => a - b)) {
    const key = { organization_id, user_id }
    await prisma.organizationMember.upsert({
      where: { organization_id_user_id: key },
      create: { ...key, role },
      update: { role },
    })
  }
  return [...removed, ...added]
}

async function writePendingMembers(
  { prisma }: Transaction,
  organization_id: number,
  pending: ReadonlyMap<string, MemberRole>,
  counts: Counts,
) {
  const known = await prisma.pendingMembership.findMany({ where: { organization_id }, orderBy: { email: 'asc' } })
  const { removed, written } = compareMembers(new Map(known.map(({ email, role }) => [email, role])), pending, counts)
  await prisma.pendingMembership.deleteMany({ where: { organization_id, email: { in: removed } } })
  for (const [email, role] of written) {
    const key = { organization_id, email }
    await prisma.pendingMembership.upsert({ where: { organization_id_email: key }, create: { ...key, role }, update: { role } })
  }
}

function compareMembers<Key>(
  before: ReadonlyMap<Key, MemberRole>,
  wanted: ReadonlyMap<Key, MemberRole>,
  { members: count }: Counts,
) {
  const removed = [...before.keys()].filter((key) => !wanted.has(key))
  const added = [...wanted.keys()].filter((key) => !before.has(key))
  const written = [...wanted].filter(([key, role]) => before.get(key) !== role)
  count.new += added.length
  count.changed += written.length - added.length
  count.unchanged += wanted.size - written.length
  count.retired += removed.length
  return { removed, added, written }
}
