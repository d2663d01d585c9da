import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type AreaLookup, dropOverriddenParameters, resolveArea } from '../geo/area-query.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { hasParameter, queryParameters } from '../http/lists/pagination.ts'
import { syncHook } from '../http/request/hooks.ts'
import { commaList, stringEnum, TimestampParameter } from '../http/schema/fields.ts'
import { withInputTransform } from '../http/validation/input-transforms.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { categories } from '../issues/categories.ts'
import { isOfOrganizations } from '../issue-lifecycle/acting-organizations.ts'
import { countIssues } from '../issues/list/overview.ts'
import { type IssueFilter, parseFilter, parseIds } from '../issues/list/filter.ts'
import { ListIssuesQuery, OrganizationParameter, statusParameter } from '../issues/list/query.ts'
import { knownCategory } from '../issues/records/columns.ts'
import { countHistory } from '../issues/records/history.ts'
import { text } from '../locales/texts.ts'
import type { QueryableRow } from './cql2/queryable.ts'
import { filterLanguages, readFilter } from './cql2/read-filter.ts'
import { crs84, crsUris, findCrs } from './crs/crs.ts'
import { historyRow } from './history-row.ts'
import { issueRow } from './issue-row.ts'
import { itemParameters } from './ogc/parameters.ts'

const { details: _details, 'fields[issue]': _fields, ...listParameters } = ListIssuesQuery.properties
const { page: _page, per_page: _perPage, cursor: _cursor, sort: _sort, sort_direction: _direction, ...filters } = listParameters

const FilterParameter = (collection: string) =>
  Type.Optional(
    Type.String({
      description: `A CQL2 filter over the queryables of \`/ogc/collections/${collection}/queryables\`.`,
      examples: [collection === 'issues' ? "rating_count > 5 AND organization = 'Streets'" : "to_status = 'Closed'"],
      'x-allowed': text('filter_expected'),
    }),
  )

/** Filters of all interfaces of data, in addition to those of `GET /issues`. */
export const ConditionQuery = Type.Object({
  category: Type.Optional(
    commaList(stringEnum(categories), {
      description: 'Categories of issues.',
      examples: [['pothole', 'sidewalk']],
      'x-allowed': text('comma_list', { values: categories.join(', ') }),
    }),
  ),
  organization_id: OrganizationParameter,
  filter: FilterParameter('issues'),
  'filter-lang': Type.Optional(
    stringEnum(filterLanguages, { description: 'The language of `filter`. The default is `cql2-text`.', examples: ['cql2-text'] }),
  ),
  'filter-crs': Type.Optional(
    Type.String({
      description: 'The coordinate reference system of geometries in `filter`. The default is longitude and latitude.',
      examples: [crs84.uri],
      'x-allowed': text('one_of', { values: crsUris }),
    }),
  ),
})
export type ConditionQuery = Static<typeof ConditionQuery>

/** The area forms and filters of `GET /issues`, and conditions. */
export const FilterQuery = Type.Object({ ...filters, ...ConditionQuery.properties })
export type FilterQuery = Static<typeof FilterQuery>

/** The default of downloads and OGC API Features, whose rows are filtered again by programs. */
export const downloadStatuses: readonly string[] = statuses.map((status) => status.toLowerCase())

/** The same with every status by default. */
export const DownloadQuery = Type.Object({
  ...FilterQuery.properties,
  status: statusParameter({ default: downloadStatuses }),
})

/** The same for changes of the status: the times and the CQL2 filter select changes, the other parameters issues. */
export const HistoryQuery = Type.Object({
  ...DownloadQuery.properties,
  after: Type.Optional(TimestampParameter('Selects changes at this time or later.')),
  before: Type.Optional(TimestampParameter('Selects changes before this time.')),
  filter: FilterParameter('history'),
})

/** The same with the order and page of a list. */
export const PagedQuery = Type.Object({ ...listParameters, ...ConditionQuery.properties })
export type PagedQuery = Static<typeof PagedQuery>

/** The same for pages and a whole download at one address, whose statuses differ by default. */
export const PagedOrWholeQuery = Type.Object({
  ...PagedQuery.properties,
  status: statusParameter({
    description:
      'The statuses of the issues. By default a page has open, acknowledged and closed issues, and a whole download all.',
  }),
})

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
  if (organization_id)
    conditions.push(isOfOrganizations((await parseIds(reader, 'organizations', organization_id, 'organization_id')).ids))
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

const ogcNames = new Set([
  ...itemParameters,
  ...Object.keys(FilterQuery.properties),
  ...issueRow.queryables.keys(),
  ...historyRow.queryables.keys(),
])

/**
 * Refuses parameters of the items of `/ogc` in operations without them: they would select there, and an operation that ignores them would
 * return more than the caller asked for.
 */
export function addRefusalOfOgcParameters(app: FastifyInstance): void {
  app.addHook('preHandler', syncHook(refuseOgcParameters))
}

/** @throws Problem 422 for parameters of the items of `/ogc` that the operation does not have */
export function refuseOgcParameters(request: FastifyRequest): void {
  const { own } = request.routeOptions.config.parameters ?? {}
  if (!own) return
  const parameters = queryParameters(request)
  const refused = [...new Set(parameters.keys())].filter((name) => {
    const meant = name.replace(/\[\]$/, '')
    return ogcNames.has(meant) && !own.includes(meant) && hasParameter(parameters, name)
  })
  if (refused.length > 0) throw problems.invalid(Object.fromEntries(refused.map((name) => [name, text('parameter_of_ogc')])))
}
