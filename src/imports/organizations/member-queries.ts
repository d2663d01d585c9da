import Type from 'typebox'

import { Id, nullable, oneOf } from '../../database/columns.ts'
import { type Executable, sql } from '../../database/database.ts'
import { type MemberRole, memberRoles, updateOfficialRoles } from '../../organizations/queries.ts'
import type { MemberInput } from './organization-rows.ts'
import type { OrganizationsReport } from './organizations-report.ts'

type Counts = Pick<OrganizationsReport, 'members' | 'waiting'>

const ResolvedMember = Type.Object({
  email: Type.String(),
  role: oneOf(memberRoles),
  /** The user who has confirmed the address; null if it is unconfirmed. */
  user_id: nullable(Id),
})

/**
 * Makes the members of an organisation those of the file. An address that an account has confirmed counts at once; every other one waits
 * for its owner, since anybody may claim an address. To be called under `lockMemberships`.
 * @returns accounts that came or went
 */
export async function writeMembers(
  db: Executable,
  organizationId: number,
  given: readonly MemberInput[],
  counts: Counts,
): Promise<number[]> {
  const resolved = await db.query(
    ResolvedMember,
    sql`
      SELECT lower(g.email) AS email, g.role, e.user_id
      FROM unnest(${given.map(({ email }) => email)}::text[], ${given.map(({ role }) => role)}::text[]) WITH ORDINALITY AS g (email, role, n)
      LEFT JOIN emails e ON lower(e.email) = lower(g.email) AND e.confirmed_at IS NOT NULL
      ORDER BY g.n`,
  )
  const members = new Map<number, MemberRole>()
  for (const { user_id, role } of resolved) {
    // Two addresses of one account: the greater role counts.
    if (user_id !== null && members.get(user_id) !== 'moderator') members.set(user_id, role)
  }
  const waiting = new Map(resolved.filter(({ user_id }) => user_id === null).map(({ email, role }) => [email, role]))
  counts.waiting.push(...waiting.keys())
  await writePendingMembers(db, organizationId, waiting, counts)
  return writeActiveMembers(db, organizationId, members, counts)
}

const ExistingMember = Type.Object({ key: Id, role: oneOf(memberRoles) })

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
  const { gone, written, added } = difference(known, members, counts)
  if (gone.length > 0) {
    await db.execute(sql`
      DELETE FROM organization_members m
      WHERE m.organization_id = ${organizationId} AND m.user_id = ANY(${gone}::integer[])`)
  }
  if (written.length > 0) {
    const [ids, roles] = [written.map(([id]) => id), written.map(([, role]) => role)]
    await db.execute(sql`
      INSERT INTO organization_members (organization_id, user_id, role)
      SELECT ${organizationId}, w.user_id, w.role::member_role
      FROM unnest(${ids}::integer[], ${roles}::text[]) AS w (user_id, role)
      ORDER BY w.user_id
      ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`)
  }
  return [...gone, ...added]
}

const ExistingPendingMember = Type.Object({ key: Type.String(), role: oneOf(memberRoles) })

async function writePendingMembers(
  db: Executable,
  organizationId: number,
  waiting: ReadonlyMap<string, MemberRole>,
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
  const { gone, written } = difference(known, waiting, counts)
  if (gone.length > 0) {
    await db.execute(sql`
      DELETE FROM pending_memberships p
      WHERE p.organization_id = ${organizationId} AND p.email = ANY(${gone}::text[])`)
  }
  if (written.length > 0) {
    const [emails, roles] = [written.map(([email]) => email), written.map(([, role]) => role)]
    await db.execute(sql`
      INSERT INTO pending_memberships (organization_id, email, role)
      SELECT ${organizationId}, w.email, w.role::member_role
      FROM unnest(${emails}::text[], ${roles}::text[]) AS w (email, role)
      ON CONFLICT (organization_id, email) DO UPDATE SET role = excluded.role`)
  }
}

function difference<Key>(
  known: readonly { readonly key: Key; readonly role: MemberRole }[],
  wanted: ReadonlyMap<Key, MemberRole>,
  { members: count }: Counts,
) {
  const before = new Map(known.map(({ key, role }) => [key, role]))
  const gone = [...before.keys()].filter((key) => !wanted.has(key))
  const added = [...wanted.keys()].filter((key) => !before.has(key))
  const written = [...wanted].filter(([key, role]) => before.get(key) !== role)
  count.new += added.length
  count.changed += written.length - added.length
  count.unchanged += wanted.size - written.length
  count.retired += gone.length
  return { gone, added, written }
}

/** Once all organisations are done: who moved from one to another stays an official. */
export async function refreshOfficialRoles(db: Executable, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) await updateOfficialRoles(db, [...new Set(userIds)])
}
