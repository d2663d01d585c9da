import { createReadStream } from 'node:fs'

import { InvalidJson, readPieces } from './json-pieces.ts'
import { isObject, ImportFailed } from './source-row.ts'

/** Examples: EPSG:4326, urn:ogc:def:crs:OGC:1.3:CRS84, http://www.opengis.net/def/crs/EPSG/0/4326 */
const WGS84 = /(?:^|[:/#])(?:EPSG(?:[:/][\d.]*)?[:/]4326|CRS:?84h?|WGS ?84)$/i
const SHOWN_MAX = 200

/** A `crs` (GeoJSON before RFC 7946) other than WGS84 is refused, because a wrong position looks like a correct one. */
export function validateCrs(crs: unknown): string | undefined {
  if (crs === undefined || crs === null) return undefined
  const properties = isObject(crs) ? crs['properties'] : undefined
  const name = isObject(properties) ? properties['name'] : undefined
  if (typeof name === 'string' && WGS84.test(name.trim())) return undefined
  const shown = typeof name === 'string' ? ` (${JSON.stringify(name.slice(0, SHOWN_MAX))})` : ''
  return `the crs${shown} is not WGS84: convert the data to WGS84 first (ogr2ogr -t_srs EPSG:4326)`
}

/** @throws ImportFailed if the JSON is not WGS84 */
export function requireWgs84(crs: Buffer): void {
  const error = validateCrs(parseJson(crs))
  if (error !== undefined) throw new ImportFailed(`The file cannot be imported: ${error}.`)
}

/** Runs before the import, because `crs` may follow the features. @throws ImportFailed if it is not WGS84 */
export async function requireWgs84File(path: string): Promise<void> {
  // A search is far faster than parsing, and most files do not have the word.
  if (!(await contains(path, Buffer.from('"crs"')))) return
  try {
    for await (const pieces of readPieces(createReadStream(path))) {
      for (const piece of pieces) {
        if (piece.kind !== 'member' || piece.name !== 'crs') continue
        requireWgs84(piece.bytes)
        return
      }
    }
  } catch (error) {
    // The import itself reports invalid JSON, after the features before it.
    if (!(error instanceof InvalidJson)) throw error
  }
}

async function contains(path: string, word: Buffer): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    if (Buffer.concat([rest, chunk.subarray(0, word.length)]).includes(word) || chunk.includes(word)) return true
    rest = chunk.subarray(-word.length)
  }
  return false
}

/** Invalid JSON remains bytes, so that `validateCrs` rejects it. */
function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return json
  }
}
