import Type, { type Static } from 'typebox'

import { statuses } from '../issue-lifecycle/status.ts'
import { ListIssuesQuery, statusParameter } from '../issues/list/query.ts'

const { details: _details, 'fields[issue]': _fields, ...listParameters } = ListIssuesQuery.properties
const { page: _page, per_page: _perPage, cursor: _cursor, sort: _sort, sort_direction: _direction, ...filters } = listParameters

/** The area forms and filters of `GET /issues`. */
export const FilterQuery = Type.Object(filters)
export type FilterQuery = Static<typeof FilterQuery>

/** The same with every status by default, for downloads and OGC API Features: their rows are filtered again by programs. */
export const DownloadQuery = Type.Object({
  ...filters,
  status: statusParameter(statuses.map((status) => status.toLowerCase())),
})

/** The same with the order and page of a list. */
export const PagedQuery = Type.Object(listParameters)
export type PagedQuery = Static<typeof PagedQuery>
