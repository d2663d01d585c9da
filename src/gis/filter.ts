import type { FastifyInstance } from 'fastify'

import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { text } from '../errors/texts/text.ts'
import { type AreaLookup, dropOverriddenParameters, resolveArea } from '../geo/area-query.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { withInputTransform } from '../http/validation/compilers.ts'
import { countIssues } from '../issues/list/count.ts'
import { type IssueFilter, parseFilter, requireKnownIds } from '../issues/list/filter.ts'
import { knownCategory } from '../issues/records/columns.ts'
import { findUnknownOrganizationIds } from '../organizations/queries.ts'
import { readFilter } from './cql2/read-filter.ts'
import { crs84, crsList, findCrs } from './crs/crs.ts'
import { issueRow } from './issue-row.ts'
import type { FilterQuery } from './query.ts'

/** Validates queries as lists do: parameters that a form of an area overrides may have any value. */
export const filterQueryCompiler = (app: FastifyInstance) => withInputTransform(app, 'querystring', dropOverriddenParameters)

interface Sources {
  readonly reader: Queryable
  readonly areas: AreaLookup
}

/**
 * Returns the filter of a query, which selects the issues that `GET /issues` lists for the same parameters and that meet the conditions.
 * @throws Problem 422 for an invalid area, ids that do not exist, or an invalid or too expensive CQL2 filter
 */
export async function parseFilterQuery(sources: Sources, query: FilterQuery, viewer: Viewer | null): Promise<IssueFilter> {
  const filter = await parseFilter(sources.reader, query, await resolveArea(query, sources.areas), viewer)
  return { ...filter, condition: await parseConditions(sources, query, filter) }
}

/** Returns the conditions of a query that `GET /issues` does not have. @throws Problem 422 as `parseFilterQuery` */
export async function parseListConditions(sources: Sources, query: FilterQuery, viewer: Viewer | null): Promise<Sql | undefined> {
  const { category, organization_id, filter } = query
  if (category === undefined && organization_id === undefined && filter === undefined) return undefined
  return (await parseFilterQuery(sources, query, viewer)).condition
}

async function parseConditions(
  { reader, areas }: Sources,
  { category, organization_id, ...query }: FilterQuery,
  issueFilter: IssueFilter,
): Promise<Sql | undefined> {
  const conditions: Sql[] = []
  if (category) conditions.push(sql`${knownCategory} = ANY(${category}::text[])`)
  if (organization_id) {
    const findUnknown = (ids: readonly number[]) => findUnknownOrganizationIds(reader, ids)
    const { ids } = await requireKnownIds('organization_id', organization_id, findUnknown)
    conditions.push(sql`i.request_type_id = ANY(ARRAY(
      SELECT request_types.id FROM request_types WHERE request_types.organization_id = ANY(${ids}::integer[])))`)
  }
  if (query.filter !== undefined) {
    const language = query['filter-lang'] ?? 'cql2-text'
    const crs = findCrs(query['filter-crs'] ?? crs84.uri)
    if (!crs)
      throw problems.invalid({
        'filter-crs': text('must_be', { allowed: text('one_of', { values: crsList.map(({ uri }) => uri).join(', ') }) }),
      })
    const { predicate, limitRows } = await readFilter({ filter: query.filter, language, crs }, issueRow, areas)
    await limitRows(async () => (await countIssues(reader, issueFilter)).entries)
    conditions.push(sql`(${predicate})`)
  }
  return conditions.length === 0 ? undefined : join(conditions, ' AND ')
}
