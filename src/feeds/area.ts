import type { Area } from '../geo/area.ts'
import { type AreaLookup, pointOf } from '../geo/area-query.ts'
import { type Faults, problems } from '../errors/problems.ts'
import { areaOf, findWatchedArea } from '../watch-areas/area-input.ts'
import type { FeedQuery } from './schema.ts'

/** What is another area, or a part of one. A point is not: distances are measured from it, and it is the centre of a circle. */
const others = ['zoom', 'address', 'place_url', 'min_lat', 'min_lng', 'max_lat', 'max_lng', 'watcher_token', 'radius'] as const

/** The form that only whoever watches has, besides those of lists; undefined where the query has none. */
export function watchedFormOf(query: Readonly<Record<string, unknown>>): 'area' | 'radius' | undefined {
  if (query['area'] !== undefined) return 'area'
  return query['radius'] === undefined ? undefined : 'radius'
}

/**
 * The area of a query that asks for one as whoever watches does, by `radius` or `area`; undefined where it does not. Those forms stand alone:
 * lists pass over what comes after the first form, but nobody means two areas, and a mistyped one must never answer with the whole world.
 * @throws Problem 422 for half a form, another one beside it, or what is no area
 */
export async function resolveWatchedArea(query: FeedQuery, lookup: AreaLookup): Promise<Area | undefined> {
  const form = watchedFormOf(query)
  if (!form) return undefined
  const beside = others.filter((name) => name !== form && query[name] !== undefined)
  const refused: Faults = Object.fromEntries(beside.map((name) => [name, `does not go with ${form}: give one area only`]))
  const names: readonly string[] = form === 'area' ? ['area'] : ['lat', 'lng', 'radius']
  const found = await findWatchedArea(Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name))), lookup)
  if ('faults' in found || beside.length > 0) throw problems.invalid({ ...('faults' in found ? found.faults : {}), ...refused })
  // Half a point is refused, as lists do, also where nothing is sorted by distance.
  await pointOf(query, lookup)
  return areaOf(found.watched)
}
