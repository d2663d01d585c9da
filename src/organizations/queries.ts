import Type, { type Static } from 'typebox'

import {
  Id,
  IdRow,
  stringEnum,
  type Executable,
  type PrismaHandle,
  type Queryable,
  sql,
  type Transaction,
  lockName,
} from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import { type Capability, memberRoles } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { text } from '../locales/texts.ts'

/**
 * Grants the account all pending memberships of its address, or that of one organisation, if the address is confirmed, and returns the ids of
 * the organisations. Call it in the transaction that sets `confirmed_at`.
 */
export async function claimMemberships(
  tx: Executable,
  userId: number,
  email: string,
  organizationId: number | null = null,
): Promise<number[]> {
  await lockName(tx, LOCK, true)
  const claimed = await tx.query(sql.type(IdRow)`
    WITH address AS (
      SELECT e.id
      FROM email_addresses e
      WHERE e.user_id = ${userId} AND lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL),
    removed AS (
      DELETE FROM pending_memberships p
      WHERE p.email = lower(${email}) AND EXISTS (SELECT FROM address)
        AND (${organizationId}::integer IS NULL OR p.organization_id = ${organizationId}::integer)
      RETURNING p.organization_id, p.role),
    recorded AS (
      INSERT INTO claimed_memberships (email_address_id, organization_id, role, role_before)
      SELECT address.id, removed.organization_id, removed.role, m.role
      FROM removed
      CROSS JOIN address
      LEFT JOIN organization_members m ON m.organization_id = removed.organization_id AND m.user_id = ${userId}
      ON CONFLICT (email_address_id, organization_id) DO UPDATE SET role = excluded.role, role_before = excluded.role_before)
    INSERT INTO organization_members AS m (organization_id, user_id, role)
    SELECT removed.organization_id, ${userId}, removed.role
    FROM removed
    ORDER BY removed.organization_id
    ON CONFLICT (organization_id, user_id) DO UPDATE SET role = greatest(excluded.role, m.role)
    RETURNING m.organization_id AS id`)
  if (claimed.length > 0) await updateOfficialRoles(tx, [userId])
  return claimed.map(({ id }) => id)
}

/** Makes granted memberships pending again and restores the previous roles. Call it before the address is deleted. */
export async function revokeMemberships(tx: Executable, userId: number, emailId: number): Promise<void> {
  await lockName(tx, LOCK, true)
  const revoked = await tx.execute(sql`
    WITH claimed AS (
      DELETE FROM claimed_memberships memberships USING email_addresses e WHERE memberships.email_address_id = ${emailId} AND e.id = memberships.email_address_id
      RETURNING memberships.organization_id, memberships.role, memberships.role_before, lower(e.email) AS email),
    pending AS (
      INSERT INTO pending_memberships (organization_id, email, role) SELECT claimed.organization_id, claimed.email, claimed.role FROM claimed
      ON CONFLICT (organization_id, email) DO NOTHING),
    restored AS (
      UPDATE organization_members m SET role = claimed.role_before FROM claimed
      WHERE m.organization_id = claimed.organization_id AND m.user_id = ${userId} AND claimed.role_before IS NOT NULL)
    DELETE FROM organization_members m USING claimed
    WHERE m.organization_id = claimed.organization_id AND m.user_id = ${userId} AND claimed.role_before IS NULL`)
  if (revoked > 0) await updateOfficialRoles(tx, [userId])
}

const PendingMembership = Type.Object({ organization: Type.String(), role: stringEnum(memberRoles) })

/** Returns the organisations and roles that the owner of the address gets by confirming it, so that a page can list them before. */
export async function listPendingMemberships(db: Queryable, email: string): Promise<Static<typeof PendingMembership>[]> {
  return db.query(sql.type(PendingMembership)`
    SELECT o.name AS organization, p.role
    FROM pending_memberships p
    JOIN organizations o ON o.id = p.organization_id
    WHERE p.email = lower(${email})
    ORDER BY o.name`)
}

const OrganizationRow = Type.Object({ id: Id, name: Type.String() })
export type OrganizationRow = Static<typeof OrganizationRow>

/** Returns the organisations with this id or name, the one with exactly this name before those whose case differs. */
export function findOrganizations(
  db: Queryable,
  { id, name }: { readonly id: number | null; readonly name: string },
): Promise<OrganizationRow[]> {
  return db.query(sql.type(OrganizationRow)`
    SELECT o.id, o.name FROM organizations o
    WHERE o.id = ${id}::integer OR lower(o.name) = lower(${name}::text)
    ORDER BY o.name = ${name}::text DESC, o.id`)
}

export const listOrganizations = (db: Queryable): Promise<OrganizationRow[]> =>
  db.query(sql.type(OrganizationRow)`SELECT o.id, o.name FROM organizations o ORDER BY o.name, o.id`)

const LOCK = 'fixpoint memberships'

/** Locks memberships, so that no address is confirmed while they change. */
export const lockMemberships = (tx: Executable): Promise<void> => lockName(tx, LOCK)

/** Sets the role of members of an organisation to Verified Official, and of other users to Registered User. Admins stay admins. */
export async function updateOfficialRoles(tx: Executable, userIds: readonly number[]): Promise<void> {
  await tx.execute(sql`SELECT u.id FROM users u WHERE u.id = ANY(${userIds}::integer[]) ORDER BY u.id FOR NO KEY UPDATE`)
  await tx.execute(sql`
    UPDATE users u
    SET role = CASE u.role WHEN 'Registered User' THEN 'Verified Official'::user_role ELSE 'Registered User' END
    WHERE u.id = ANY(${userIds}::integer[]) AND u.role = CASE
      WHEN EXISTS (SELECT FROM organization_members m WHERE m.user_id = u.id) THEN 'Registered User'::user_role ELSE 'Verified Official' END`)
}

/** @throws Problem 404 for an unknown organisation, 403 that names the capability if the caller lacks it there */
export async function requireOrganizationCapability(
  db: PrismaHandle,
  id: number,
  viewer: Viewer,
  capability: Capability,
): Promise<void> {
  const organization = await db.prisma.organization.findUnique({ where: { id }, select: { id: true } })
  if (!organization) throw problems.notFound('the_organization')
  if (!mayIn(viewer, capability, id)) throw problems.notPermitted(text('organization_capability_missing', { capability }))
}

/** Locks an organisation, so that its content changes one after another. @throws Problem 404 */
export async function lockOrganization(tx: Transaction, id: number): Promise<void> {
  const [found] = await tx.query(sql.type(IdRow)`SELECT o.id FROM organizations o WHERE o.id = ${id} FOR NO KEY UPDATE`)
  if (!found) throw problems.notFound('the_organization')
}
