import type { FastifyInstance } from 'fastify'

import type { Queryable } from '../database/database.ts'
import { type AreaLookup, dropOverriddenParameters, resolveArea } from '../geo/area-query.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { withInputTransform } from '../http/validation/compilers.ts'
import { type IssueFilter, parseFilter } from '../issues/list/filter.ts'
import type { FilterQuery } from './query.ts'

/** Validates queries as lists do: parameters that a form of an area overrides may have any value. */
export const filterQueryCompiler = (app: FastifyInstance) => withInputTransform(app, 'querystring', dropOverriddenParameters)

/**
 * Returns the filter of a query, which selects the issues that `GET /issues` lists for the same parameters.
 * @throws Problem 422 for an invalid area or ids that do not exist
 */
export async function parseFilterQuery(
  { reader, areas }: { readonly reader: Queryable; readonly areas: AreaLookup },
  query: FilterQuery,
  viewer: Viewer | null,
): Promise<IssueFilter> {
  return parseFilter(reader, query, await resolveArea(query, areas), viewer)
}
