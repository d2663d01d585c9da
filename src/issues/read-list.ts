import type { Queryable } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { type AreaLookup, originOf, resolveArea } from '../geo/area-query.ts'
import type { Viewer } from '../http/access.ts'
import type { Page } from '../http/pagination.ts'
import { problems } from '../http/problems.ts'
import { filterOf } from './filter.ts'
import type { ListIssuesQuery } from './list-query.ts'
import type { Order } from './order.ts'
import { type IssuePage, listIssues } from './queries.ts'

export interface ReadList extends IssuePage {
  readonly area: Area
}

/**
 * What a query asks for, whichever face it came in by: the list of the API and the feeds are this very list.
 * @param from.area where the face takes areas that the query of lists has no form for; distances are then measured from its centre
 * @throws Problem 422 naming what the query has that is not there
 */
export async function readList(
  { reader, areas, area: resolved }: { readonly reader: Queryable; readonly areas: AreaLookup; readonly area?: Area | undefined },
  query: Omit<ListIssuesQuery, 'details' | 'fields[issue]'>,
  page: Page,
  viewer: Viewer | null,
): Promise<ReadList> {
  const area = resolved ?? (await resolveArea(query, areas))
  const order = await orderOf(query, () => originOf(query, area, areas))
  const filter = await filterOf(reader, query, area, viewer)
  return { area, ...(await listIssues(reader, filter, order, page, viewer)) }
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
