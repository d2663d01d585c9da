import { validateCrs } from './coordinate-system.ts'
import { isObject, type SourceRow } from './source-row.ts'

/** GeoJSON needs fewer than ten levels; JSON.stringify exhausts the stack at some thousand. */
const NESTING_MAX = 100

/** The number of a feature in a collection counts as its line. */
export function rowFromText(line: number, json: string, what: 'line' | 'feature'): SourceRow {
  const rejected = (error: string): SourceRow => ({ line, values: {}, error, raw: json })
  if (isNestedDeeper(json, NESTING_MAX)) return rejected(`the ${what} is nested deeper than ${NESTING_MAX} levels`)
  let feature: unknown
  try {
    feature = JSON.parse(json)
  } catch {
    return rejected(`the ${what} is not JSON`)
  }
  if (!isObject(feature) || feature['type'] !== 'Feature') return rejected('it is not a GeoJSON Feature')
  const { properties, geometry, crs } = feature
  const error = validateCrs(crs) ?? (isObject(geometry) ? validateCrs(geometry['crs']) : undefined)
  const values = isObject(properties) ? properties : {}
  return { line, values, feature, size: json.length, ...(error !== undefined && { error }) }
}

/** A parsed value of any depth needs much memory, so the nesting is checked before. */
function isNestedDeeper(json: string, max: number): boolean {
  let depth = 0
  for (let position = 0; position < json.length; position++) {
    const unit = json.charCodeAt(position)
    if (unit === QUOTE) {
      position = findStringEnd(json, position)
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > max) return true
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      depth--
    }
  }
  return false
}

function findStringEnd(json: string, start: number): number {
  let position = start + 1
  for (; position < json.length && json.charCodeAt(position) !== QUOTE; position++)
    if (json.charCodeAt(position) === BACKSLASH) position++
  return position
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
