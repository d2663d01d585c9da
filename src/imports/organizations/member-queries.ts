import Type from 'typebox'

import { Id, nullable, stringEnum } from '../../database/columns.ts'
import { type Executable, sql } from '../../database/database.ts'
import { type MemberRole, memberRoles, updateOfficialRoles } from '../../organizations/queries.ts'
import type { MemberInput } from './organization-rows.ts'
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
  db: Executable,
  organizationId: number,
  input: readonly MemberInput[],
  counts: Counts,
): Promise<number[]> {
  const resolved = await db.query(
    ResolvedMember,
    sql`
      SELECT lower(member.email) AS email, member.role, e.user_id
      FROM unnest(${input.map(({ email }) => email)}::text[], ${input.map(({ role }) => role)}::text[])
        WITH ORDINALITY AS member (email, role, position)
      LEFT JOIN email_addresses e ON lower(e.email) = lower(member.email) AND e.confirmed_at IS NOT NULL
      ORDER BY member.position`,
  )
  const members = new Map<number, MemberRole>()
  for (const { user_id, role } of resolved) {
    // An account with two of the addresses gets the higher role.
    if (user_id !== null && members.get(user_id) !== 'moderator') members.set(user_id, role)
  }
  const pending = new Map(resolved.filter(({ user_id }) => user_id === null).map(({ email, role }) => [email, role]))
  counts.unconfirmed.push(...pending.keys())
  await writePendingMembers(db, organizationId, pending, counts)
  return writeActiveMembers(db, organizationId, members, counts)
}

const ExistingMember = Type.Object({ key: Id, role: stringEnum(memberRoles) })

async function writeActiveMembers(
  db: Executable,
  organizationId: number,
  members: ReadonlyMap<number, MemberRole>,
  counts: Counts,
) {
  const known = await db.query(
    ExistingMember,
    sql`
      SELECT m.user_id AS key, m.role
      FROM organization_members m
      WHERE m.organization_id = ${organizationId}
      ORDER BY m.user_id`,
  )
  const { removed, written, added } = compareMembers(known, members, counts)
  if (removed.length > 0) {
    await db.execute(sql`
      DELETE FROM organization_members m
      WHERE m.organization_id = ${organizationId} AND m.user_id = ANY(${removed}::integer[])`)
  }
  if (written.length > 0) {
    const [ids, roles] = [written.map(([id]) => id), written.map(([, role]) => role)]
    await db.execute(sql`
      INSERT INTO organization_members (organization_id, user_id, role)
      SELECT ${organizationId}, member.user_id, member.role::member_role
      FROM unnest(${ids}::integer[], ${roles}::text[]) AS member (user_id, role)
      ORDER BY member.user_id
      ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`)
  }
  return [...removed, ...added]
}

const ExistingPendingMember = Type.Object({ key: Type.String(), role: stringEnum(memberRoles) })

async function writePendingMembers(
  db: Executable,
  organizationId: number,
  pending: ReadonlyMap<string, MemberRole>,
  counts: Counts,
) {
  const known = await db.query(
    ExistingPendingMember,
    sql`
      SELECT p.email AS key, p.role
      FROM pending_memberships p
      WHERE p.organization_id = ${organizationId}
      ORDER BY p.email`,
  )
  const { removed, written } = compareMembers(known, pending, counts)
  if (removed.length > 0) {
    await db.execute(sql`
      DELETE FROM pending_memberships p
      WHERE p.organization_id = ${organizationId} AND p.email = ANY(${removed}::text[])`)
  }
  if (written.length > 0) {
    const [emails, roles] = [written.map(([email]) => email), written.map(([, role]) => role)]
    await db.execute(sql`
      INSERT INTO pending_memberships (organization_id, email, role)
      SELECT ${organizationId}, member.email, member.role::member_role
      FROM unnest(${emails}::text[], ${roles}::text[]) AS member (email, role)
      ON CONFLICT (organization_id, email) DO UPDATE SET role = excluded.role`)
  }
}

function compareMembers<Key>(
  known: readonly { readonly key: Key; readonly role: MemberRole }[],
  wanted: ReadonlyMap<Key, MemberRole>,
  { members: count }: Counts,
) {
  const before = new Map(known.map(({ key, role }) => [key, role]))
  const removed = [...before.keys()].filter((key) => !wanted.has(key))
  const added = [...wanted.keys()].filter((key) => !before.has(key))
  const written = [...wanted].filter(([key, role]) => before.get(key) !== role)
  count.new += added.length
  count.changed += written.length - added.length
  count.unchanged += wanted.size - written.length
  count.retired += removed.length
  return { removed, added, written }
}

/** Requires that all organisations are written, so that a user who moved between two of them stays an official. */
export async function refreshOfficialRoles(db: Executable, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) await updateOfficialRoles(db, [...new Set(userIds)])
}
