import { crsFault } from './coordinate-system.ts'
import { isObject, type SourceRow } from './source-row.ts'

/**
 * Levels of brackets in a feature. GeoJSON needs fewer than ten, members of other kinds some more; from some thousands on, writing
 * it as JSON again would exhaust the stack.
 */
const NESTING_MAX = 100

/** The row of a feature that stands in a line, or as feature `line` of a collection, as JSON. */
export function rowFromText(line: number, json: string, where: 'line' | 'feature'): SourceRow {
  const rejected = (fault: string): SourceRow => ({ line, values: {}, fault, raw: json })
  if (isNestedDeeper(json, NESTING_MAX)) return rejected(`the ${where} is nested deeper than ${NESTING_MAX} levels`)
  let feature: unknown
  try {
    feature = JSON.parse(json)
  } catch {
    return rejected(`the ${where} is not JSON`)
  }
  if (!isObject(feature) || feature['type'] !== 'Feature') return rejected('it is not a GeoJSON Feature')
  const { properties, geometry, crs } = feature
  const fault = crsFault(crs) ?? (isObject(geometry) ? crsFault(geometry['crs']) : undefined)
  const values = isObject(properties) ? properties : {}
  return { line, values, feature, size: json.length, ...(fault !== undefined && { fault }) }
}

/** Counted before the text is parsed, so that it costs no memory. Brackets in texts do not count. */
function isNestedDeeper(json: string, max: number): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) {
      at = findStringEnd(json, at)
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > max) return true
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      depth--
    }
  }
  return false
}

/** The index of the quotation mark that closes the text which the one at `start` opens. */
function findStringEnd(json: string, start: number): number {
  let at = start + 1
  for (; at < json.length && json.charCodeAt(at) !== QUOTE; at++) if (json.charCodeAt(at) === BACKSLASH) at++
  return at
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
