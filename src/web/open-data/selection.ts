import Type, { type Static } from 'typebox'

import type { Area } from '../../geo/area.ts'
import { AreaQuery } from '../../geo/area-query.ts'
import { downloadStatuses } from '../../gis/query.ts'
import { stringEnum, readTimestamp } from '../../http/schema/fields.ts'
import { ListIssuesQuery, listStatuses } from '../../issues/list/query.ts'

/** The tables of the open data, named as in the addresses of `/exports` and `/ogc`. */
export const datasets = ['issues', 'history', 'places'] as const
export type Dataset = (typeof datasets)[number]

const { lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng } = AreaQuery.properties
const { status, search, request_types, after, before } = ListIssuesQuery.properties

export const PLACE_WORDS_MAX = 100

export const DataQuery = Type.Object({
  data: Type.Optional(stringEnum(datasets)),
  /** Words of the name of a place, as a person writes them. */
  place: Type.Optional(Type.String({ maxLength: PLACE_WORDS_MAX })),
  ...{ lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng },
  ...{ search, request_types, after, before },
  status: { ...status, default: downloadStatuses },
})
export type DataQuery = Static<typeof DataQuery>

export type Parameters = Readonly<Record<string, string | undefined>>

/** The choice of the form, with the area as the parameters that all interfaces of data share. */
export interface Selection {
  readonly area: Parameters
  readonly filters: Parameters
  /** In lower case. */
  readonly statuses: readonly string[]
}

export function toSelection(query: DataQuery, area: Area): Selection {
  const chosen = new Set(query.status?.map((one) => one.toLowerCase()))
  return {
    area: areaParameters(query, area),
    filters: {
      search: query.search?.trim() || undefined,
      request_types: query.request_types?.join(),
      after: query.after,
      before: query.before,
    },
    statuses: downloadStatuses.filter((one) => chosen.has(one)),
  }
}

function areaParameters({ place_url: placeUrl }: DataQuery, area: Area): Parameters {
  if (area.kind === 'place') return { place_url: placeUrl }
  if (area.kind !== 'box') return {}
  const { west, south, east, north } = area.box
  return { min_lng: String(west), min_lat: String(south), max_lng: String(east), max_lat: String(north) }
}

const hasEvery = (selection: Selection, statuses: readonly string[]) =>
  selection.statuses.length === statuses.length && statuses.every((status) => selection.statuses.includes(status))

/** Returns the parameters of an interface whose default is these statuses. */
function issueParameters(selection: Selection, defaultStatuses: readonly string[]): Parameters {
  const isDefault = hasEvery(selection, defaultStatuses)
  return { ...selection.area, ...(isDefault ? {} : { status: selection.statuses.join() }), ...selection.filters }
}

export const downloadParameters = (selection: Selection): Parameters => issueParameters(selection, downloadStatuses)

export const listParameters = (selection: Selection): Parameters => issueParameters(selection, listStatuses)

/** Statistics count all statuses, and their dates are those of changes. */
export const statisticsParameters = ({ area, filters }: Selection): Parameters => ({
  ...area,
  request_types: filters['request_types'],
})

const open311Statuses: Readonly<Record<string, readonly string[]>> = {
  open: ['open', 'acknowledged'],
  closed: ['closed', 'archived'],
}

/** Returns the parameters of GeoReport v2; undefined for a selection that it cannot express: a place, or one of two statuses that it calls alike. */
export function open311Parameters(selection: Selection): Parameters | undefined {
  const { area, filters } = selection
  if (area['place_url'] !== undefined) return undefined
  const status = Object.keys(open311Statuses).find((name) => hasEvery(selection, open311Statuses[name] ?? []))
  if (status === undefined && !hasEvery(selection, downloadStatuses)) return undefined
  const corners = [area['min_lng'], area['min_lat'], area['max_lng'], area['max_lat']]
  return {
    bbox: area['min_lng'] === undefined ? undefined : corners.join(),
    status,
    service_code: filters['request_types'],
    q: filters['search'],
    start_date: filters['after'],
    end_date: lastSecondBefore(filters['before']),
  }
}

/** `before` is exclusive, and `end_date` is inclusive to the second. */
function lastSecondBefore(before: string | undefined): string | undefined {
  const time = before === undefined ? undefined : readTimestamp(before)
  return time === undefined ? undefined : `${new Date(Date.parse(time) - 1_000).toISOString().slice(0, 19)}Z`
}
