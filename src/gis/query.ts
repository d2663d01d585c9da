import Type, { type Static } from 'typebox'
import { text } from '../locales/texts.ts'
import { commaList, stringEnum } from '../http/schema/fields.ts'
import { TimestampParameter } from '../http/schema/timestamps.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { categories } from '../issues/categories.ts'
import { ListIssuesQuery, OrganizationParameter, statusParameter } from '../issues/list/query.ts'
import { filterLanguages } from './cql2/parse.ts'
import { crs84, crsUris } from './crs/crs.ts'

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
