import Type from 'typebox'

import { type PrismaHandle, type Queryable, sql } from '../database/database.ts'

export interface EndpointHealth {
  readonly organization_id: number
  readonly organization: string
  /** Polls since the last one that succeeded. */
  readonly poll_failures: number
  readonly last_poll_error: string | null
}

/** Returns the Open311 endpoints to which organisations forward issues. */
export async function listEndpointHealth(db: PrismaHandle): Promise<EndpointHealth[]> {
  const endpoints = await db.prisma.forwardingEndpoint.findMany({
    select: { organization_id: true, organization: { select: { name: true } }, poll_failures: true, last_poll_error: true },
    orderBy: { organization_id: 'asc' },
  })
  return endpoints.map(({ organization, ...health }) => ({ ...health, organization: organization.name }))
}

const MissingReceiver = Type.Object({ email: Type.String() })

/** Returns the receivers of updates who are no members with a confirmed address, so that no updates are received. */
export async function listMissingReceivers(db: Queryable, organizationIds: readonly number[]): Promise<string[]> {
  const missing = await db.query(sql.type(MissingReceiver)`
    SELECT endpoint.receiver_email AS email FROM forwarding_endpoints endpoint
    WHERE endpoint.organization_id = ANY (${[...organizationIds]}::integer[]) AND endpoint.receives_updates AND NOT EXISTS (
      SELECT FROM organization_members m JOIN email_addresses e ON e.user_id = m.user_id
      WHERE m.organization_id = endpoint.organization_id AND lower(e.email) = lower(endpoint.receiver_email)
        AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL)
    ORDER BY endpoint.organization_id`)
  return missing.map(({ email }) => email)
}
