import type { FastifyInstance } from 'fastify'

import { text } from '../locales/texts.ts'
import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type AreaLookup, dropOverriddenParameters, resolveArea } from '../geo/area-query.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { withInputTransform } from '../http/validation/compilers.ts'
import { isOfOrganizations } from '../issues/list/conditions.ts'
import { countIssues } from '../issues/list/count.ts'
import { type IssueFilter, parseFilter, parseOrganizations } from '../issues/list/filter.ts'
import { knownCategory } from '../issues/records/columns.ts'
import { countHistory } from '../issues/records/history.ts'
import type { QueryableRow } from './cql2/queryable.ts'
import { readFilter } from './cql2/read-filter.ts'
import { crs84, crsUris, findCrs } from './crs/crs.ts'
import { historyRow } from './history-row.ts'
import { issueRow } from './issue-row.ts'
import type { ConditionQuery, FilterQuery } from './query.ts'

/** Validates queries as lists do: parameters that a form of an area overrides may have any value. */
export const filterQueryCompiler = (app: FastifyInstance) => withInputTransform(app, 'querystring', dropOverriddenParameters)

interface Sources {
  readonly reader: Queryable
  readonly areas: AreaLookup
}

/** The rows that a CQL2 filter selects. */
interface FilteredTable {
  readonly row: QueryableRow
  /** Returns the number of rows of these issues. */
  countRows(reader: Queryable, filter: IssueFilter): Promise<number>
}

const issueTable: FilteredTable = {
  row: issueRow,
  countRows: countIssues,
}
const historyTable: FilteredTable = { row: historyRow, countRows: (reader, filter) => countHistory(reader, { filter }) }

/**
 * Returns the filter of a query, which selects the issues that `GET /issues` lists for the same parameters and that meet the conditions.
 * @throws Problem 422 for an invalid area, ids that do not exist, or an invalid or too expensive CQL2 filter
 */
export const parseFilterQuery = (sources: Sources, query: FilterQuery, viewer: Viewer | null): Promise<IssueFilter> =>
  parseQuery(sources, query, viewer, issueTable)

/**
 * Returns the filter of a query for changes of the status (`HistorySelection`).
 * @throws Problem 422 as `parseFilterQuery`
 */
export const parseHistoryQuery = (sources: Sources, query: FilterQuery, viewer: Viewer | null): Promise<IssueFilter> =>
  parseQuery(sources, query, viewer, historyTable)

async function parseQuery(sources: Sources, query: FilterQuery, viewer: Viewer | null, table: FilteredTable): Promise<IssueFilter> {
  const filter = await parseFilter(sources.reader, query, await resolveArea(query, sources.areas), viewer)
  return { ...filter, condition: await parseConditions(sources, query, filter, table) }
}

/**
 * Returns the conditions of a query that `GET /issues` does not have as one predicate over issue `i`; undefined without any.
 * @param issueFilter the filter of the other parameters, whose issues limit the cost of a CQL2 filter
 * @throws Problem 422 for organisations that do not exist, or an invalid or too expensive CQL2 filter
 */
export async function parseConditions(
  { reader, areas }: Sources,
  { category, organization_id, filter, ...options }: ConditionQuery,
  issueFilter: IssueFilter,
  { row, countRows }: FilteredTable = issueTable,
): Promise<Sql | undefined> {
  const conditions: Sql[] = []
  if (category) conditions.push(sql`${knownCategory} = ANY(${category}::text[])`)
  if (organization_id) conditions.push(isOfOrganizations((await parseOrganizations(reader, organization_id)).ids))
  const language = options['filter-lang'] ?? 'cql2-text'
  const crs = findCrs(options['filter-crs'] ?? crs84.uri)
  if (!crs) throw problems.invalid({ 'filter-crs': text('must_be', { allowed: text('one_of', { values: crsUris }) }) })
  if (filter !== undefined) {
    const { predicate, limitRows } = await readFilter({ filter, language, crs }, row, areas)
    await limitRows(() => countRows(reader, issueFilter))
    conditions.push(sql`(${predicate})`)
  }
  return conditions.length === 0 ? undefined : join(conditions, ' AND ')
}
