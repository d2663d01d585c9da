import { type Queryable, type Sql, sql, findUnknownIds } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { idMax, readTimestamp } from '../../http/schema/fields.ts'
import { assigneeDepartment } from '../../issue-lifecycle/access.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { text } from '../../locales/texts.ts'
import { matchesSearch, parseSearch, type SearchTerm } from '../../search/search-terms.ts'
import { isPossibleId, type ListIssuesQuery } from './query.ts'

interface IssueSearch {
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

/** Returns a predicate over `issues i`, which the primary key and the index on `search` serve. */
export function matchesIssueSearch({ id, terms }: IssueSearch): Sql {
  const hasWords = terms && matchesSearch(terms)
  if (id === undefined) return hasWords ?? sql`FALSE`
  return hasWords ? sql`(i.id = ${id}::integer OR ${hasWords})` : sql`i.id = ${id}::integer`
}

/** The filter that lists, counts, maps and feeds share. It is built from a query; conditions.ts converts it to SQL. */
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
  /** The condition that the caller sees the assignee of issue `i`. */
  readonly assigneeShown?: Sql | undefined
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
    requestTypes: query.request_types && (await parseRequestTypes(db, query.request_types)),
    assignees: query.assigned && (await requireKnownIds(db, 'users', query.assigned, 'assigned')),
    assigneeShown: query.assigned?.some((value) => value !== 'unassigned') ? showsAssignee(viewer) : undefined,
    assignedTo: query.assigned_to_me && viewer ? viewer.id : undefined,
  }
}

const showsAssignee = (viewer: Viewer | null): Sql =>
  sql`(${assigneeDepartment(viewer)} IS NULL OR i.assignee_id = ${viewer?.id ?? null}::integer)`

const parseTimestamp = (value: string | undefined) => value && readTimestamp(value)

/** @throws Problem 422 naming ids that do not exist */
export const parseRequestTypes = (db: Queryable, values: readonly string[]): Promise<IdFilter> =>
  requireKnownIds(db, 'request_types', values, 'request_types')

/** @throws Problem 422 naming ids that do not exist */
export const parseOrganizations = (db: Queryable, values: readonly string[]): Promise<IdFilter> =>
  requireKnownIds(db, 'organizations', values, 'organization_id')

/** @throws Problem 422 naming ids that do not exist */
export const parseAssignee = (db: Queryable, value: string): Promise<IdFilter> => requireKnownIds(db, 'users', [value], 'assignee')

/** @throws Problem 422 naming ids that do not exist */
async function requireKnownIds(
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
