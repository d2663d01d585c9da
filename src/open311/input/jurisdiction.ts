import type { FastifyRequest } from 'fastify'

import type { Queryable } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { findOrganizations, type OrganizationRow } from '../../organizations/queries.ts'
import { isId, type Parameters } from './body.ts'

/** Both addresses of each resource, below `/open311`: the whole service, and one organisation. */
export const roots = ['/v2', '/v2/:organization_id'] as const

/** The organisation of a request; undefined for the whole service. */
export type Jurisdiction = OrganizationRow | undefined

/**
 * Returns the organisation that the path or `jurisdiction_id` names by its id or name.
 * @throws Problem 404 if there is none, or if the two name different ones
 */
export async function findJurisdiction(db: Queryable, request: FastifyRequest, parameters: Parameters): Promise<Jurisdiction> {
  const { organization_id } = request.params as { readonly organization_id?: string }
  const names = [organization_id, parameters.get('jurisdiction_id')].filter((name) => name !== undefined)
  if (names.length === 0) return undefined
  const found = await Promise.all(names.map((name) => findByIdOrName(db, name)))
  const [organization] = found
  if (!organization || found.some((other) => other?.id !== organization.id)) throw problems.notFound('the_jurisdiction')
  return organization
}

async function findByIdOrName(db: Queryable, name: string): Promise<OrganizationRow | undefined> {
  if (name.includes('\0') || !name.isWellFormed()) return undefined
  const id = isId(name) ? Number(name) : null
  const organizations = await findOrganizations(db, { id, name })
  return organizations.find((organization) => organization.id === id) ?? organizations[0]
}
