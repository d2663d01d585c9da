import Type, { type Static } from 'typebox'

import { Count, Id, nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'

const EndpointHealth = Type.Object({
  organization_id: Id,
  organization: Type.String(),
  /** Polls since the last one that succeeded. */
  poll_failures: Count,
  last_poll_error: nullable(Type.String()),
})
export type EndpointHealth = Static<typeof EndpointHealth>

/** Returns the Open311 endpoints to which organisations forward issues. */
export function listEndpointHealth(db: Queryable): Promise<EndpointHealth[]> {
  return db.query(
    EndpointHealth,
    sql`
      SELECT o.id AS organization_id, o.name AS organization, endpoint.poll_failures, endpoint.last_poll_error
      FROM forwarding_endpoints endpoint JOIN organizations o ON o.id = endpoint.organization_id
      ORDER BY o.id`,
  )
}

const MissingReceiver = Type.Object({ email: Type.String() })

/** Returns the receivers of updates who are no members with a confirmed address, so that no updates are received. */
export async function listMissingReceivers(db: Queryable, organizationIds: readonly number[]): Promise<string[]> {
  const missing = await db.query(
    MissingReceiver,
    sql`
      SELECT endpoint.receiver_email AS email FROM forwarding_endpoints endpoint
      WHERE endpoint.organization_id = ANY (${[...organizationIds]}::integer[]) AND endpoint.receives_updates AND NOT EXISTS (
        SELECT FROM organization_members m JOIN email_addresses e ON e.user_id = m.user_id
        WHERE m.organization_id = endpoint.organization_id AND lower(e.email) = lower(endpoint.receiver_email)
          AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL)
      ORDER BY endpoint.organization_id`,
  )
  return missing.map(({ email }) => email)
}
