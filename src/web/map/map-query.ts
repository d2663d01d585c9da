import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import { AreaQuery } from '../../geo/area-query.ts'
import { PageQuery } from '../../http/lists/pagination.ts'
import { Id } from '../../http/schema/fields.ts'
import { ListIssuesQuery } from '../../issues/list/query.ts'

const { status, search, request_types, after, before, assigned, assigned_to_me } = ListIssuesQuery.properties
const { lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng } = AreaQuery.properties

/**
 * The area forms and filters of `GET /issues` in the address of the map page. The token of a watch area has no place here, because
 * the address is shared: `watch_area` is an id, which works only in the session of the owner.
 */
export const MapQuery = Type.Object({
  watch_area: Type.Optional({ ...Id, description: 'The id of one of your watch areas.', 'x-allowed': text('positive_integer') }),
  ...{ lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng },
  ...{ status, search, request_types, after, before, assigned, assigned_to_me },
  page: PageQuery.properties.page,
  /** The view `zoom/lat/lng` of a map whose list stays that of a place or a watch area. */
  view: Type.Optional(Type.String()),
})
export type MapQuery = Static<typeof MapQuery>

const filterNames = ['status', 'search', 'request_types', 'after', 'before', 'assigned', 'assigned_to_me'] as const
const areaNames = ['watch_area', 'lat', 'lng', 'zoom', 'place_url', 'min_lat', 'min_lng', 'max_lat', 'max_lng'] as const

export type Parameters = Readonly<Record<string, string | number | undefined>>

/** Returns the filters of a query as parameters of a link. The default of `status` is left out. */
export const filterParameters = (query: MapQuery): Parameters => pick(query, filterNames)

/** Returns the area of a query as parameters of a link, with the view inside of a place or a watch area. */
export const areaParameters = (query: MapQuery): Parameters =>
  pick(query, query.place_url === undefined && query.watch_area === undefined ? areaNames : [...areaNames, 'view'])

function pick(query: MapQuery, names: readonly (keyof MapQuery)[]): Parameters {
  const entries = names.flatMap((name) => {
    const value = query[name]
    const text = Array.isArray(value) ? value.join() : value === undefined ? undefined : String(value)
    return text === undefined || (name === 'status' && text === DEFAULT_STATUS) ? [] : [[name, text] as const]
  })
  return Object.fromEntries(entries)
}

export const DEFAULT_STATUS = 'open,acknowledged,closed'
