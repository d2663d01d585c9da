import type { Queryable } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { type AreaLookup, originOf, resolveArea } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { type Cursor, type CursorPage, cursorText, digestOf } from '../../http/lists/cursor.ts'
import type { NextPage, Page } from '../../http/lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { filterOf, type IssueFilter } from './filter.ts'
import type { ListIssuesQuery } from './query.ts'
import { type Order, type Position, positionAt } from './order.ts'
import { findIssuePage, type IssuePage } from './page.ts'

export interface ReadList extends IssuePage {
  readonly area: Area
  readonly next: NextPage
}

type Query = Omit<ListIssuesQuery, 'details' | 'fields[issue]'>

/** What a query means: the list, of which nothing but what it is sorted by and whether it exists was looked up. */
export interface WantedList {
  readonly area: Area
  readonly filter: IssueFilter
  readonly order: Order
  readonly page: Page
  /** Which list it is, for the cursors of it; made only for these. */
  readonly list: () => string
  /** The position that the page begins after; undefined for a page that is found by its number. */
  readonly after: Position | undefined
}

/**
 * What a query asks for, whichever face it came in by: the list of the API and the feeds are this very list.
 * @param from.area where the face takes areas that the query of lists has no form for; distances are then measured from its centre
 * A cursor of another list is ignored: clients edit addresses.
 * @throws Problem 422 naming what the query has that is not there, or a cursor that was made up
 */
export async function wantedList(
  { reader, areas, area: resolved }: { readonly reader: Queryable; readonly areas: AreaLookup; readonly area?: Area | undefined },
  query: Query,
  { cursor, page, perPage }: CursorPage,
  viewer: Viewer | null,
): Promise<WantedList> {
  const area = resolved ?? (await resolveArea(query, areas))
  const order = await orderOf(query, () => originOf(query, area, areas))
  const filter = await filterOf(reader, query, area, viewer)
  const list = () => digestOf({ ...identityOf(filter, query), order, perPage })
  const after = cursor && positionOf(cursor, list(), order)
  return { area, filter, order, page: { page: after ? cursor.page : page, perPage }, list, after }
}

export async function readList(reader: Queryable, wanted: WantedList, viewer: Viewer | null): Promise<ReadList> {
  const { area, filter, order, page, list, after } = wanted
  const found = await findIssuePage(reader, { filter, order, slice: { ...page, after }, viewer })
  const last = found.hasNext ? found.issues.at(-1) : undefined
  const cursor = last && cursorText({ page: page.page + 1, list: list(), key: String(last.sort_key), id: last.id })
  return { area, ...found, next: { hasNext: found.hasNext, cursor } }
}

async function orderOf(
  { sort = 'created_at', sort_direction }: Pick<ListIssuesQuery, 'sort' | 'sort_direction'>,
  origin: () => ReturnType<typeof originOf>,
): Promise<Order> {
  if (sort !== 'distance') return { by: sort, direction: sort_direction ?? 'DESC' }
  const from = await origin()
  if (!from) throw problems.invalid({ sort: 'by distance needs a point: give lat and lng, or an area' })
  return { by: sort, direction: sort_direction ?? 'ASC', origin: from }
}

/**
 * The filter as it was asked for, in whatever words. What it is found to mean today may be another thing tomorrow: a word of the search may
 * be like more words by then, and the centre of a place may move. Neither is another list.
 */
function identityOf({ area, ...filter }: IssueFilter, { search }: Query) {
  const isNamed = area.kind === 'place' || area.kind === 'watched'
  return { ...filter, search, area: isNamed ? { ...area, centre: undefined } : area }
}

/** Undefined for a cursor of another list. @throws Problem 422 for one whose key no row of this list has */
function positionOf({ list: givenBy, key, id }: Cursor, list: string, order: Order): Position | undefined {
  if (givenBy !== list) return undefined
  const position = positionAt(order, key, id)
  if (position) return position
  throw problems.invalid({
    cursor: 'must be the cursor of a next_page_url, as it was given: follow that address, or leave cursor out',
  })
}
