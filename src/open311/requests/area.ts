import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { parseWatchedArea, toArea } from '../../watch-areas/area-input.ts'
import { invalidParameter, mustBe, type Parameters } from '../input/parameters.ts'

const circleNames = ['lat', 'long', 'radius'] as const
const cornerNames = ['min_lng', 'min_lat', 'max_lng', 'max_lat'] as const

/**
 * Returns the area of `bbox`, or of `lat`, `long` and `radius` (metres), with the limits of watch areas; everywhere without them.
 * @throws Problem 422 for an incomplete or invalid form, and for both
 */
export async function readArea(parameters: Parameters, lookup: AreaLookup): Promise<Area> {
  const box = parameters.get('bbox')
  const circle = circleNames.filter((name) => parameters.has(name))
  if (box !== undefined && circle.length > 0)
    throw invalidParameter('bbox', text('combined_with_another_area', { name: circle.join(', ') }))
  if (box !== undefined) return readBox(box, lookup)
  return circle.length > 0 ? readCircle(parameters, lookup) : { kind: 'everywhere' }
}

async function readBox(value: string, lookup: AreaLookup): Promise<Area> {
  const degrees = value.split(',').map((part) => part.trim())
  const input = Object.fromEntries(cornerNames.map((name, index) => [name, degrees[index] ?? '']))
  const parsed = await parseWatchedArea(input, lookup)
  if (degrees.length !== cornerNames.length || 'errors' in parsed) throw mustBe('bbox', text('west_south_east_north'))
  return toArea(parsed.watched)
}

async function readCircle(parameters: Parameters, lookup: AreaLookup): Promise<Area> {
  const missing = circleNames.filter((name) => !parameters.has(name))
  const present = circleNames.filter((name) => parameters.has(name)).join(', ')
  if (missing.length > 0)
    throw problems.invalid(Object.fromEntries(missing.map((name) => [name, text('required_together', { names: present })])))
  const [lat = '', lng = '', radius = ''] = circleNames.map((name) => parameters.get(name))
  const parsed = await parseWatchedArea({ lat, lng, radius }, lookup)
  if ('errors' in parsed) throw problems.invalid(parsed.errors)
  return toArea(parsed.watched)
}
