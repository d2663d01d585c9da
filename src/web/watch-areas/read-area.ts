import { watchedAreaProperties } from '../../watch-areas/area-input.ts'
import { type FormValues, readText } from '../../html/form-input.ts'

export const RADIUS_M = '500'

/** Reads the area of a form. A point without a radius is the centre of a circle. */
export function readArea(values: FormValues): Record<string, string> {
  const entries = Object.keys(watchedAreaProperties).map((name) => [name, readText(values, name).trim()] as const)
  const area = Object.fromEntries(entries.filter(([, value]) => value !== ''))
  const isPoint = area['lat'] !== undefined && area['lng'] !== undefined
  const { radius, ...others } = area
  // The form always sends its radius, which only a point needs.
  if (radius !== undefined && !isPoint && Object.keys(others).length > 0) return others
  return isPoint ? { radius: RADIUS_M, ...area } : area
}
