import type { Area } from '../geo/area.ts'
import { type AreaLookup, findPoint } from '../geo/area-query.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { toArea, parseWatchedArea } from '../watch-areas/area-input.ts'
import type { FilterQuery } from './query.ts'
import { text } from '../errors/texts/text.ts'

/** A point is allowed: it is the origin of distances and the centre of a circle. */
const otherAreaParameters = [
  'zoom',
  'address',
  'place_url',
  'min_lat',
  'min_lng',
  'max_lat',
  'max_lng',
  'watcher_token',
  'radius',
] as const

export function areaForm(query: Readonly<Record<string, unknown>>): 'area' | 'radius' | undefined {
  if (query['area'] !== undefined) return 'area'
  return query['radius'] === undefined ? undefined : 'radius'
}

/**
 * Returns the area of `radius` or `area`. A second form is an error, so that a mistyped area never returns the whole world.
 * @throws Problem 422 for an incomplete form, a second form or an invalid area
 */
export async function resolveAreaForm(query: FilterQuery, lookup: AreaLookup): Promise<Area | undefined> {
  const form = areaForm(query)
  if (!form) return undefined
  const conflicting = otherAreaParameters.filter((name) => name !== form && query[name] !== undefined)
  const conflictErrors: ValidationErrors = Object.fromEntries(
    conflicting.map((name) => [name, text('combined_with_another_area', { name: form })]),
  )
  const names: readonly string[] = form === 'area' ? ['area'] : ['lat', 'lng', 'radius']
  const parsed = await parseWatchedArea(Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name))), lookup)
  if ('errors' in parsed || conflicting.length > 0)
    throw problems.invalid({ ...('errors' in parsed ? parsed.errors : {}), ...conflictErrors })
  // Half a point is refused as in lists, even if the order does not depend on it.
  await findPoint(query, lookup)
  return toArea(parsed.watched)
}
