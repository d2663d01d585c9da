import Type, { type Static } from 'typebox'

import { IdRow, oneOf } from '../database/columns.ts'
import { type Executable, type Queryable, sql } from '../database/database.ts'

export const memberRoles = ['employee', 'moderator'] as const
export type MemberRole = (typeof memberRoles)[number]

/**
 * Gives the account all memberships that wait for its confirmed address. Call it in the transaction that sets `confirmed_at`; for an
 * unconfirmed address it does nothing. Returns the ids of the organisations.
 */
export async function claimMemberships(tx: Executable, userId: number, email: string): Promise<number[]> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(hashtext(${LOCK}))`)
  const claimed = await tx.query(
    IdRow,
    sql`
      WITH address AS (
        SELECT e.id
        FROM emails e
        WHERE e.user_id = ${userId} AND lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL),
      taken AS (
        DELETE FROM pending_memberships p
        WHERE p.email = lower(${email}) AND EXISTS (SELECT FROM address)
        RETURNING p.organization_id, p.role),
      noted AS (
        INSERT INTO claimed_memberships (email_id, organization_id, role, role_before)
        SELECT a.id, t.organization_id, t.role, m.role
        FROM taken t
        CROSS JOIN address a
        LEFT JOIN organization_members m ON m.organization_id = t.organization_id AND m.user_id = ${userId}
        ON CONFLICT (email_id, organization_id) DO UPDATE SET role = excluded.role, role_before = excluded.role_before)
      INSERT INTO organization_members AS m (organization_id, user_id, role)
      SELECT t.organization_id, ${userId}, t.role
      FROM taken t
      ORDER BY t.organization_id
      ON CONFLICT (organization_id, user_id) DO UPDATE SET role = CASE WHEN excluded.role = 'moderator' THEN excluded.role ELSE m.role END
      RETURNING m.organization_id AS id`,
  )
  if (claimed.length > 0) await updateOfficialRoles(tx, [userId])
  return claimed.map(({ id }) => id)
}

/**
 * Ends the memberships that the confirmation of an address gave to an account, and lets them wait for its owner again. A role that the
 * account had before is given back. To be called before the address is deleted.
 */
export async function revokeMemberships(tx: Executable, userId: number, emailId: number): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(hashtext(${LOCK}))`)
  const revoked = await tx.execute(sql`
    WITH claimed AS (
      DELETE FROM claimed_memberships c USING emails e WHERE c.email_id = ${emailId} AND e.id = c.email_id
      RETURNING c.organization_id, c.role, c.role_before, lower(e.email) AS email),
    waiting AS (
      INSERT INTO pending_memberships (organization_id, email, role) SELECT c.organization_id, c.email, c.role FROM claimed c
      ON CONFLICT (organization_id, email) DO NOTHING),
    given_back AS (
      UPDATE organization_members m SET role = c.role_before FROM claimed c
      WHERE m.organization_id = c.organization_id AND m.user_id = ${userId} AND c.role_before IS NOT NULL)
    DELETE FROM organization_members m USING claimed c
    WHERE m.organization_id = c.organization_id AND m.user_id = ${userId} AND c.role_before IS NULL`)
  if (revoked > 0) await updateOfficialRoles(tx, [userId])
}

const PendingMembership = Type.Object({ organization: Type.String(), role: oneOf(memberRoles) })

/** The names of the organisations that whoever confirms the address will work for, so that a page can say it before. */
export async function listPendingMemberships(db: Queryable, email: string): Promise<Static<typeof PendingMembership>[]> {
  return db.query(
    PendingMembership,
    sql`
      SELECT o.name AS organization, p.role
      FROM pending_memberships p
      JOIN organizations o ON o.id = p.organization_id
      WHERE p.email = lower(${email})
      ORDER BY o.name`,
  )
}

const LOCK = 'fixpoint memberships'

/** Locks memberships, so that an address is confirmed either before they are changed or after it. */
export async function lockMemberships(tx: Executable): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${LOCK}))`)
}

/** Gives users the role of an official while they work for an organisation, and of a resident otherwise; admins stay admins. */
export async function updateOfficialRoles(tx: Executable, userIds: readonly number[]): Promise<void> {
  await tx.execute(sql`SELECT lock_users(${userIds}::integer[])`)
  await tx.execute(sql`
    UPDATE users u
    SET role = CASE u.role WHEN 'Registered User' THEN 'Verified Official'::user_role ELSE 'Registered User' END
    WHERE u.id = ANY(${userIds}::integer[]) AND u.role = CASE
      WHEN EXISTS (SELECT FROM organization_members m WHERE m.user_id = u.id) THEN 'Registered User'::user_role ELSE 'Verified Official' END`)
}
