import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'

import { withoutWaiting } from '../request/hooks.ts'
import { parametersOf } from '../lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { isRead } from '../request/same-origin.ts'
import type { ObjectSchema } from './text-values.ts'

/*
 * Unknown query parameters are ignored, so a mistyped area would answer with the whole world. A name that is almost one of the operation is
 * therefore refused (decisions.md, Addresses and content).
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters of the operation, and those of all operations. Set when the route is registered. */
    parameters?: { readonly own: readonly string[]; readonly everyName: ReadonlySet<string> }
  }
}

/** Names that other APIs use for parameters of ours, as `spelling` writes them. An operation must have all that a name stands for. */
const BOX = ['min_lat', 'min_lng', 'max_lat', 'max_lng']
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  bbox: BOX,
  box: BOX,
  bounds: BOX,
  boundingbox: BOX,
  extent: BOX,
  viewport: BOX,
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
  createdafter: ['after'],
  createdatafter: ['after'],
  createdsince: ['after'],
  since: ['after'],
  startdate: ['after'],
  createdbefore: ['before'],
  createdatbefore: ['before'],
  until: ['before'],
  enddate: ['before'],
  updatedafter: ['updated_at_after'],
  updatedsince: ['updated_at_after'],
  updatedbefore: ['updated_at_before'],
  pagesize: ['per_page'],
  limit: ['per_page'],
  pagenumber: ['page'],
  query: ['search'],
  keyword: ['search'],
  keywords: ['search'],
  orderby: ['sort'],
  sortby: ['sort'],
  sortorder: ['sort_direction'],
  state: ['status'],
  states: ['status'],
  statuses: ['status'],
  requesttypeid: ['request_types'],
  requesttypeids: ['request_types'],
  assignedto: ['assigned'],
  fields: ['fields[issue]'],
}

/** Names shorter than this have too many neighbours. */
const TYPO_LENGTH_MIN = 5

/** Refuses misspelt query parameters of operations that read, which are registered after this. */
export function refuseMisspeltParameters(app: FastifyInstance): void {
  const everyName = new Set<string>()
  app.addHook('onRoute', (route: RouteOptions) => {
    const { operationId, querystring } = route.schema ?? {}
    if (operationId === undefined) return
    const properties = Object.entries((querystring as ObjectSchema | undefined)?.properties ?? {})
    for (const [name, { type }] of properties) {
      everyName.add(name)
      if (type === 'array') everyName.add(`${name}[]`)
    }
    route.config = { ...route.config, parameters: { own: properties.map(([name]) => name), everyName } }
  })
  // After validation, so that an address that does not exist stays 404.
  app.addHook(
    'preHandler',
    withoutWaiting((request) => {
      const misspelt = misspeltParameters(request)
      if (Object.keys(misspelt).length > 0) throw problems.invalid(misspelt)
    }),
  )
}

/** The misspelt query parameters of a request, each with a text that names the right one. */
export function misspeltParameters(request: FastifyRequest): Record<string, string> {
  const { own, everyName } = request.routeOptions.config.parameters ?? {}
  if (!own?.length || !isRead(request) || !request.url.includes('?')) return {}
  const unknown = [...new Set(parametersOf(request).keys())].filter((name) => !everyName?.has(name))
  const meant = unknown.map((name) => [name, meantBy(name, own)] as const)
  return Object.fromEntries(meant.filter(([, names]) => names.length > 0).map(([name, names]) => [name, didYouMean(names)]))
}

const didYouMean = (names: readonly string[]) => `did you mean ${names.join(', ')}? This operation has no parameter of this name`

/** The parameters that a name is a misspelling of; empty where it is like none of them. */
function meantBy(name: string, parameters: readonly string[]): readonly string[] {
  const given = spelling(name)
  const same = parameters.filter((known) => spelling(known) === given)
  if (same.length > 0) return same
  const others = Object.hasOwn(OTHER_NAMES, given) ? (OTHER_NAMES[given] ?? []) : []
  if (others.length > 0 && others.every((other) => parameters.includes(other))) return others
  return parameters.filter((known) => known.length >= TYPO_LENGTH_MIN && isOneEditAway(spelling(known), given))
}

const spelling = (name: string) => name.toLowerCase().replaceAll(/[-_[\]]/g, '')

/** Whether the optimal string alignment distance of two different texts is one: an insertion, deletion, substitution or transposition. */
function isOneEditAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && left === [...right].reverse().join(''))
}
