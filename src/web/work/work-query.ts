import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { AreaQuery } from '../../geo/area-query.ts'
import { PageQuery } from '../../http/lists/pagination.ts'
import { commaList, stringEnum } from '../../http/schema/fields.ts'
import { ListIssuesQuery } from '../../issues/list/query.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { WorkKind } from '../../organizations/work-queries.ts'

export const workTabs = ['open', 'acknowledged', 'mine', 'unassigned'] as const
export type WorkTab = (typeof workTabs)[number]

/** Issues that have waited longest come first, because they are the next to answer. */
export const workSorts = ['oldest', 'newest', 'votes'] as const
export type WorkSort = (typeof workSorts)[number]

export const WorkQuery = Type.Object({
  tab: Type.Optional(stringEnum(workTabs)),
  sort: Type.Optional(stringEnum(workSorts)),
  /** Without the default of `GET /issues`. */
  status: Type.Optional(
    commaList(stringEnum(['open', 'acknowledged', 'closed', 'archived']), {
      'x-allowed': text('comma_list', { values: 'open, acknowledged, closed, archived' }),
    }),
  ),
  search: ListIssuesQuery.properties.search,
  request_types: ListIssuesQuery.properties.request_types,
  place_url: AreaQuery.properties.place_url,
  page: PageQuery.properties.page,
})
export type WorkQuery = Static<typeof WorkQuery>

/** The parameters of `GET /issues` for a tab, so that the API, the map and the page find and count the same issues. */
export type ListParameters = Pick<
  Static<typeof ListIssuesQuery>,
  'status' | 'search' | 'request_types' | 'place_url' | 'assigned' | 'assigned_to_me' | 'sort' | 'sort_direction'
>

/** Statuses that a user may choose on tabs that have no status of their own. */
export const chosenStatuses: readonly Status[] = ['Open', 'Acknowledged', 'Closed']
export const defaultStatuses = ['open', 'acknowledged']

/** Returns whether the tab has issues of one status only. */
export const hasOneStatus = (tab: WorkTab): boolean => tab === 'open' || tab === 'acknowledged'

/**
 * Issues assigned to the caller may have any type. The other tabs have the types of the organisations.
 * @throws Problem 422 for a type of another organisation
 */
export function listParameters(query: WorkQuery, tab: WorkTab, kinds: readonly WorkKind[]): ListParameters {
  const { search, request_types: chosen, place_url, sort } = query
  const own = kinds.filter(({ is_own }) => is_own).flatMap(({ ids }) => ids.map(String))
  const foreign = (chosen ?? []).filter((id) => !own.includes(id))
  if (foreign.length > 0) throw problems.invalid({ request_types: text('unknown_names', { names: foreign.join(', ') }) })
  const types = chosen ?? (tab === 'mine' ? undefined : own)
  return {
    status: hasOneStatus(tab) ? [tab] : (query.status ?? defaultStatuses),
    ...(search === undefined ? {} : { search }),
    ...(types === undefined ? {} : { request_types: types }),
    ...(place_url === undefined ? {} : { place_url }),
    ...(tab === 'mine' ? { assigned_to_me: true } : tab === 'unassigned' ? { assigned: ['unassigned'] } : {}),
    sort: sort === 'votes' ? 'rating' : 'created_at',
    sort_direction: sort === 'newest' || sort === 'votes' ? 'DESC' : 'ASC',
  }
}
