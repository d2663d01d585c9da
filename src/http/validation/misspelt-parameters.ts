import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'

import { text, type Text } from '../../locales/texts.ts'
import { syncHook } from '../request/hooks.ts'
import { queryParameters } from '../lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { isTypoOf, normalizeName } from '../request/similar-names.ts'
import { isRead } from '../request/same-origin.ts'
import type { ObjectSchema } from './text-values.ts'

/* Unknown parameters are ignored, so a misspelt area would return the whole world: names close to a known one are refused. */

declare module 'fastify' {
  interface FastifyContextConfig {
    parameters?: { readonly own: readonly string[]; readonly allNames: ReadonlySet<string> }
  }
}

const BOX_PARAMETERS = ['min_lat', 'min_lng', 'max_lat', 'max_lng']
/**
 * Parameter names of other APIs, as `normalizeName` writes them, with the parameters to suggest. They are suggested only if the operation has
 * all of them.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  bbox: BOX_PARAMETERS,
  box: BOX_PARAMETERS,
  bounds: BOX_PARAMETERS,
  boundingbox: BOX_PARAMETERS,
  extent: BOX_PARAMETERS,
  viewport: BOX_PARAMETERS,
  south: ['min_lat'],
  west: ['min_lng'],
  north: ['max_lat'],
  east: ['max_lng'],
  latitude: ['lat'],
  longitude: ['lng'],
  lon: ['lng'],
  long: ['lng'],
  zoomlevel: ['zoom'],
  place: ['place_url'],
  placename: ['place_url'],
  placeurlname: ['place_url'],
  urlname: ['place_url'],
  watchtoken: ['watcher_token'],
  polygon: ['area'],
  geojson: ['area'],
  geometry: ['area'],
  geom: ['area'],
  within: ['area'],
  near: ['lat', 'lng'],
  point: ['lat', 'lng'],
  distance: ['radius'],
  createdafter: ['after'],
  createdatafter: ['after'],
  createdsince: ['after'],
  since: ['after'],
  from: ['after'],
  startdate: ['after'],
  createdbefore: ['before'],
  createdatbefore: ['before'],
  until: ['before'],
  after: ['from'],
  before: ['until'],
  enddate: ['before'],
  updatedafter: ['updated_at_after'],
  updatedsince: ['updated_at_after'],
  updatedbefore: ['updated_at_before'],
  pagesize: ['per_page'],
  limit: ['per_page'],
  pagenumber: ['page'],
  offset: ['page'],
  q: ['search'],
  query: ['search'],
  keyword: ['search'],
  keywords: ['search'],
  orderby: ['sort'],
  sortby: ['sort'],
  order: ['sort', 'sort_direction'],
  sortorder: ['sort_direction'],
  sortdir: ['sort_direction'],
  state: ['status'],
  states: ['status'],
  statuses: ['status'],
  requesttypeid: ['request_types'],
  requesttypeids: ['request_types'],
  assignedto: ['assigned'],
  fields: ['fields[issue]'],
  datetime: ['after', 'before'],
  categories: ['category'],
  organization: ['organization_id'],
  organisation: ['organization_id'],
  organizations: ['organization_id'],
  requesttype: ['request_types'],
  assigneeid: ['assigned'],
  cql: ['filter'],
}

/** Names of areas: a list without such an area refuses them, so that it never answers with more than the caller asked for. */
const AREA_NAMES = new Set(['polygon', 'geometry', 'geom', 'within', 'near', 'point', 'distance', 'bounds', 'bbox', 'boundingbox'])
/** Lists and statistics name these differently. Ignored, one would mean another period than the caller asked for. */
const PERIOD_PARAMETERS = new Set(['after', 'before', 'from', 'until'])
/** Only lists have this parameter. */
const LIST_PARAMETER = 'page'

/** Refuses misspelt query parameters of read operations that are registered afterwards. */
export function refuseMisspeltParameters(app: FastifyInstance): void {
  const allNames = new Set<string>()
  app.addHook('onRoute', (route: RouteOptions) => {
    const { operationId, querystring } = route.schema ?? {}
    if (operationId === undefined) return
    const properties = Object.entries((querystring as ObjectSchema | undefined)?.properties ?? {})
    for (const [name, { type }] of properties) {
      allNames.add(name)
      if (type === 'array') allNames.add(`${name}[]`)
    }
    route.config = { ...route.config, parameters: { own: properties.map(([name]) => name), allNames } }
  })
  // The hook runs after validation, so that an unknown resource stays 404.
  app.addHook(
    'preHandler',
    syncHook((request) => {
      const misspelt = misspeltParameters(request)
      if (Object.keys(misspelt).length > 0) throw problems.invalid(misspelt)
    }),
  )
}

export function misspeltParameters(request: FastifyRequest): Record<string, Text> {
  const { own, allNames } = request.routeOptions.config.parameters ?? {}
  if (!own?.length || !isRead(request) || !request.url.includes('?')) return {}
  const isUnknown = (name: string) => !allNames?.has(name) || (!own.includes(name) && PERIOD_PARAMETERS.has(name))
  const unknown = [...new Set(queryParameters(request).keys())].filter(isUnknown)
  return Object.fromEntries(
    unknown.flatMap((name) => {
      const meant = suggestNames(name, own)
      if (meant.length > 0) return [[name, didYouMean(meant)]]
      const isUnknownArea = own.includes(LIST_PARAMETER) && AREA_NAMES.has(normalizeName(name))
      return isUnknownArea ? [[name, text('area_unsupported')]] : []
    }),
  )
}

export const didYouMean = (names: readonly string[]) => text('parameter_misspelt', { names: names.join(', ') })

function suggestNames(name: string, parameters: readonly string[]): readonly string[] {
  const normalized = normalizeName(name)
  const same = parameters.filter((known) => normalizeName(known) === normalized)
  if (same.length > 0) return same
  const others = Object.hasOwn(SYNONYMS, normalized) ? (SYNONYMS[normalized] ?? []) : []
  if (others.length > 0 && others.every((other) => parameters.includes(other))) return others
  return parameters.filter((known) => isTypoOf(known, name))
}
