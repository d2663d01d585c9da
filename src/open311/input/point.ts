import { text } from '../../locales/texts.ts'
import type { Point } from '../../geo/point.ts'
import { invalidParameter, mustBe, type Parameters } from './parameters.ts'

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/** @throws Problem 422 for half a point or a value that is no coordinate */
export function readPoint(parameters: Parameters): Point | undefined {
  const [lat, lng] = [readDegrees(parameters, 'lat', 90), readDegrees(parameters, 'long', 180)]
  if (lat === undefined && lng === undefined) return undefined
  if (lat === undefined) throw invalidParameter('lat', text('required_together', { names: 'long' }))
  if (lng === undefined) throw invalidParameter('long', text('required_together', { names: 'lat' }))
  return { lat, lng }
}

function readDegrees(parameters: Parameters, name: string, max: number): number | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const degrees = value.length <= 40 && DECIMAL.test(value) ? Number(value) : NaN
  if (Math.abs(degrees) <= max) return degrees
  throw mustBe(name, text('number_between', { min: -max, max }))
}
