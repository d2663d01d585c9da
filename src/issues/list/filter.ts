import { type Queryable, type Sql, findUnknownIds } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { idMax, readTimestamp } from '../../http/schema/fields.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { text } from '../../locales/texts.ts'
import { parseSearch, type SearchTerm } from '../../search/search-terms.ts'
import { isPossibleId, type ListIssuesQuery } from './query.ts'

export interface IssueSearch {
  /** The number of an issue, which is found whatever its words are. */
  readonly id: number | undefined
  /** Words of the issue; undefined if only the number is searched. */
  readonly terms: readonly SearchTerm[] | undefined
}

/**
 * `#12` finds only the issue with this number; `12` finds it in addition to issues with the word, such as the number of a house.
 * @throws Problem 422 for more than ten words
 */
export async function parseIssueSearch(db: Queryable, search: string | undefined): Promise<IssueSearch | undefined> {
  const number = parseIssueNumber(search)
  if (number?.isOnly) return { id: number.id, terms: undefined }
  // The dictionary has no numbers.
  if (number) return { id: number.id, terms: [{ word: number.digits, corrections: [], halves: [] }] }
  const terms = await parseSearch(db, search)
  return terms && { id: undefined, terms }
}

/** Returns undefined for a text that is no number of an issue. `isOnly` is true after `#`: no words are searched. */
export function parseIssueNumber(search: string | undefined) {
  const [, hash, digits = ''] = /^\s*(#?)\s*(\d+)\s*$/.exec(search ?? '') ?? []
  const id = Number(digits)
  return id >= 1 && id <= idMax ? { id, digits, isOnly: hash === '#' } : undefined
}

/** The filter that lists, counts, maps and feeds share. It is built from a query; conditions.ts has its SQL. */
export interface IssueFilter {
  readonly area: Area
  readonly statuses: readonly Status[]
  readonly createdFrom?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedFrom?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly search?: IssueSearch | undefined
  readonly requestTypes?: IdFilter | undefined
  readonly assignees?: IdFilter | undefined
  /** The caller who must see the assignee. */
  readonly assigneeShownTo?: Viewer | null | undefined
  readonly assignedTo?: number | undefined
  /** Conditions that exclude each other, of which one must be met, on columns of issue `i` that the indexes of lists have. */
  readonly scope?: readonly Sql[] | undefined
  /** A condition on columns that indexes by request type have, for which lists everywhere may compare issues twice. */
  readonly staffCondition?: Sql | undefined
  /** Another condition on issue `i`, which may use all columns, and the tables of request types, organisations and places. */
  readonly condition?: Sql | undefined
}

export interface IdFilter {
  readonly ids: readonly number[]
  /** True includes issues whose column is null. */
  readonly includeNull: boolean
}

export function hasOnlyAreaAndStatuses({ area: _area, statuses: _statuses, ...others }: IssueFilter): boolean {
  return Object.values(others).every((value) => value === undefined)
}

type FilterQuery = Pick<
  ListIssuesQuery,
  | 'status'
  | 'after'
  | 'before'
  | 'updated_at_after'
  | 'updated_at_before'
  | 'search'
  | 'request_types'
  | 'assigned'
  | 'assigned_to_me'
>

/** @throws Problem 422 naming ids that do not exist */
export async function parseFilter(db: Queryable, query: FilterQuery, area: Area, viewer: Viewer | null): Promise<IssueFilter> {
  return {
    area,
    statuses: statuses.filter((status) =>
      query.status?.some((spelling) => spelling === status || spelling === status.toLowerCase()),
    ),
    createdFrom: parseTimestamp(query.after),
    createdBefore: parseTimestamp(query.before),
    updatedFrom: parseTimestamp(query.updated_at_after),
    updatedBefore: parseTimestamp(query.updated_at_before),
    search: await parseIssueSearch(db, query.search),
    requestTypes: query.request_types && (await parseIds(db, 'request_types', query.request_types, 'request_types')),
    assignees: query.assigned && (await parseIds(db, 'users', query.assigned, 'assigned')),
    assigneeShownTo: query.assigned?.some((value) => value !== 'unassigned') ? viewer : undefined,
    assignedTo: query.assigned_to_me && viewer ? viewer.id : undefined,
  }
}

const parseTimestamp = (value: string | undefined) => value && readTimestamp(value)

/** Returns the ids of the values, of which words stand for null. @throws Problem 422 naming ids that do not exist */
export async function parseIds(
  db: Queryable,
  table: Parameters<typeof findUnknownIds>[1],
  values: readonly string[],
  field: string,
): Promise<IdFilter> {
  const ids = [...new Set(values.filter((value) => /^\d/.test(value)).map(Number))]
  const impossible = ids.filter((id) => !isPossibleId(id))
  const unknown = impossible.length > 0 ? impossible : ids.length > 0 ? await findUnknownIds(db, table, ids) : []
  if (unknown.length > 0) throw problems.invalid({ [field]: text('unknown_names', { names: unknown.join(', ') }) })
  return { ids, includeNull: values.some((value) => !/^\d/.test(value)) }
}
