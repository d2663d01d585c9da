import type { FastifyBaseLogger } from 'fastify'

import { text } from '../../locales/texts.ts'
import type { Query, Queryable, Sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { type AreaLookup, findOrigin, resolveArea } from '../../geo/area-query.ts'
import type { AreaVersion } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { type Cursor, type CursorPage, encodeCursor, hashList } from '../../http/lists/cursor.ts'
import type { NextPage, Page } from '../../http/lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { type IssueFilter, parseFilter } from './filter.ts'
import type { ListIssuesQuery } from './query.ts'
import { type Order, parsePosition, type Position } from './order.ts'
import { findListPage, type ListPage } from './page.ts'

export interface ListResult extends ListPage {
  readonly area: Area
  readonly next: NextPage
}

type ListParameters = Omit<ListIssuesQuery, 'details' | 'fields[issue]'>

export interface ListRequest {
  readonly area: Area
  readonly filter: IssueFilter
  readonly order: Order
  readonly page: Page
  /** Identifies the list in cursors; it is computed lazily because only they need it. */
  readonly listHash: () => string
  /** The position after which the page begins; undefined without a valid cursor of this list. */
  readonly position: Position | undefined
}

/** Returns a condition on issue `i` in addition to a filter, or undefined. */
export type ParseCondition = (filter: IssueFilter) => Promise<Sql | undefined>

/**
 * Parses the query of a list; the API and the feeds share it. A cursor of another list is ignored because clients edit URLs.
 * @param sources.parseCondition returns another condition
 * @param sources.scope `IssueFilter.scope`
 * @param sources.staffCondition `IssueFilter.staffCondition`
 * @param sources.order an order that replaces the one of the query
 * @param sources.area an area that replaces the one of the query; distances are measured from its centre
 * @throws Problem 422 naming ids that do not exist, or for a forged cursor
 */
export async function parseListQuery(
  sources: {
    readonly reader: Queryable
    readonly areas: AreaLookup
    readonly area?: Area | undefined
    readonly parseCondition?: ParseCondition | undefined
    readonly order?: Order | undefined
    readonly scope?: IssueFilter['scope']
    readonly staffCondition?: Sql | undefined
  },
  query: ListParameters,
  { cursor, page, perPage }: CursorPage,
  viewer: Viewer | null,
): Promise<ListRequest> {
  const { reader, areas, parseCondition, scope, staffCondition } = sources
  const area = sources.area ?? (await resolveArea(query, areas))
  const order = sources.order ?? (await parseOrder(query, () => findOrigin(query, area, areas)))
  const queryFilter = { ...(await parseFilter(reader, query, area, viewer)), scope, staffCondition }
  const filter = parseCondition ? { ...queryFilter, condition: await parseCondition(queryFilter) } : queryFilter
  const listHash = () => hashList({ ...filterIdentity(filter, query), order, perPage })
  const position = cursor && toPosition(cursor, listHash(), order)
  return { area, filter, order, page: { page: position ? cursor.page : page, perPage }, listHash, position }
}

/** @param version the version of the area, if it was read before the list */
export async function readList(
  reader: Queryable,
  listRequest: ListRequest,
  viewer: Viewer | null,
  version?: AreaVersion,
): Promise<ListResult> {
  const { area, filter, order, page, listHash, position } = listRequest
  const issuePage = await findListPage(reader, { filter, order, pagePosition: { ...page, position }, viewer }, undefined, version)
  const lastIssue = issuePage.hasNext ? issuePage.issues.at(-1) : undefined
  const cursor =
    lastIssue && encodeCursor({ page: page.page + 1, listHash: listHash(), key: String(lastIssue.sort_key), id: lastIssue.id })
  return { area, ...issuePage, next: { hasNext: issuePage.hasNext, cursor } }
}

async function parseOrder(
  { sort = 'created_at', sort_direction }: Pick<ListIssuesQuery, 'sort' | 'sort_direction'>,
  findDistanceOrigin: () => ReturnType<typeof findOrigin>,
): Promise<Order> {
  if (sort !== 'distance') return { by: sort, direction: sort_direction ?? 'DESC' }
  const origin = await findDistanceOrigin()
  if (!origin) throw problems.invalid({ sort: text('distance_without_point') })
  return { by: sort, direction: sort_direction ?? 'ASC', origin }
}

/** The query identifies the list as written: spelling corrections and the centre of a place may change. */
function filterIdentity({ area, ...filter }: IssueFilter, { search }: ListParameters) {
  const isStored = area.kind === 'place' || area.kind === 'watchArea'
  return { ...filter, search, area: isStored ? { ...area, centre: undefined } : area }
}

/** @throws Problem 422 for a key that no row of this list can have */
function toPosition(cursor: Cursor, listHash: string, order: Order): Position | undefined {
  if (cursor.listHash !== listHash) return undefined
  const position = parsePosition(order, cursor.key, cursor.id)
  if (position) return position
  throw problems.invalid({
    cursor: text('must_be', { allowed: text('cursor_of_next_page') }),
  })
}

/** Logs the text of each statement, without values, at log level `debug`, for the analysis of slow lists. */
export function loggingReader(reader: Queryable, log: FastifyBaseLogger): Queryable {
  if (log.level !== 'debug' && log.level !== 'trace') return reader
  const query: Query = (statement) => {
    log.debug({ sql: statement.text.trim() }, 'SQL statement of an issue list')
    return reader.query(statement)
  }
  return { query }
}
