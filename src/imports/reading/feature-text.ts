import { validateCrs } from './coordinate-system.ts'
import { InvalidJson, ValueEndFinder } from './json-pieces.ts'
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

/** A parsed value of any depth needs much memory, so the nesting is checked before. `JSON.parse` reports brackets that do not match. */
function isNestedDeeper(json: string, max: number): boolean {
  const finder = new ValueEndFinder()
  try {
    finder.find(Buffer.from(json.trimStart()), 0)
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
  }
  return finder.deepest > max
}
