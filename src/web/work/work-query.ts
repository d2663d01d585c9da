import Type, { type Static } from 'typebox'

import type { Links } from '../../html/links.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import { text } from '../../locales/texts.ts'
import { commaList, Id, idMax, stringEnum } from '../../http/schema/fields.ts'
import { statusParameter } from '../../issues/list/query.ts'
import { WorklistQuery, worklistSorts } from '../../staff/worklist/schema.ts'

/** The steps that the form of the list takes for all selected issues. */
export const workActions = ['acknowledge', 'assign', 'transfer', 'close'] as const
export type WorkAction = (typeof workActions)[number]

const { status: _status, sort: _sort, ...filters } = WorklistQuery.properties
const ids = Type.Optional(commaList(Type.Integer({ minimum: 1, maximum: idMax }), { 'x-allowed': text('integer') }))

/** The parameters of the list of an organisation, without its defaults, and the result of a form. */
export const WorkQuery = Type.Object({
  ...filters,
  status: statusParameter({}),
  sort: Type.Optional(stringEnum(worklistSorts)),
  organization_id: Type.Optional(Id),
  done: Type.Optional(stringEnum([...workActions, 'reported'])),
  count: Type.Optional(Type.Integer({ minimum: 0 })),
  changed: ids,
  refused: ids,
})
export type WorkQuery = Static<typeof WorkQuery>

export const defaultStatuses = ['open', 'acknowledged']
const everyStatus = [...defaultStatuses, 'closed', 'archived']

/** A number names one issue, whatever its status is. */
const namesIssue = ({ number, search = '' }: WorkQuery) => number !== undefined || /^\s*#?\d+\s*$/.test(search)

/** Returns the query of the API with the defaults of the page: what waits for an answer, the oldest first. */
export function toWorklistQuery(query: WorkQuery): WorklistQuery {
  const { organization_id: _id, done: _done, count: _count, changed: _changed, refused: _refused, ...list } = query
  return { ...list, status: query.status ?? (namesIssue(query) ? everyStatus : defaultStatuses), sort: query.sort ?? 'age' }
}

type Parameters = Readonly<Record<string, string | number | undefined>>

/** Returns the parameters of a link with the filters and order of the query. */
export function toParameters(query: WorkQuery): Parameters {
  const { page: _page, per_page, done: _done, count: _count, changed: _changed, refused: _refused, ...kept } = query
  const entries = Object.entries({ ...kept, per_page: per_page === 20 ? undefined : per_page })
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
}

/** Returns the parameters of the file with all issues of the list. */
export function toFileParameters(query: WorkQuery, organization_id: number): Parameters {
  const { sort: _sort, sort_direction: _direction, ...filters } = toWorklistQuery(query)
  return toParameters({ ...filters, per_page: 20, organization_id })
}

interface ListPage {
  readonly query: WorkQuery
  readonly organization: { readonly id: number }
  readonly page: Page
}

/** Returns the list of the API with the versions of the issues of this page. */
export function versionsPath({ query, organization, page: { page, perPage } }: ListPage, { to }: Links): string {
  const { organization_id: _id, ...list } = toParameters(toWorklistQuery(query))
  const fields = { page, per_page: perPage, 'fields[issue]': 'id,version' }
  return to(`${apiPrefix}/organizations/${organization.id}/issues`, { ...list, ...fields })
}

/** The filters that every organisation has as tabs. */
const workTabs = {
  all: {},
  open: { status: ['open'] },
  late: { late: ['acknowledge', 'close'] },
  soon: { late: ['soon'] },
  mine: { assignee: 'me' },
  unassigned: { assignee: 'none' },
} as const satisfies Readonly<Record<string, object>>
export type WorkTab = keyof typeof workTabs
export const tabNames = Object.keys(workTabs) as WorkTab[]

export const tabQuery = (tab: WorkTab, organization_id: number): WorkQuery =>
  ({ organization_id, ...structuredClone(workTabs[tab]) }) as WorkQuery

/** Returns whether the query has the filters of the tab, and no others of a tab. Its order and other filters may differ. */
export function isTab(tab: WorkTab, query: WorkQuery): boolean {
  const wanted = tabQuery(tab, 0)
  return (['status', 'late', 'assignee'] as const).every((name) => String(wanted[name] ?? '') === String(query[name] ?? ''))
}

/** Returns the tab of a query that has no other filters than its own. */
export function findTab(query: WorkQuery): WorkTab | undefined {
  const { organization_id: _id, sort: _sort, sort_direction: _direction, ...filters } = toParameters(query)
  return tabNames.find((tab) => isTab(tab, query) && Object.keys(filters).length === Object.keys(workTabs[tab]).length)
}
