import { createReadStream } from 'node:fs'

import { InvalidJson } from './json-value.ts'
import { readPieces } from './json-pieces.ts'
import { isObject, ImportFailed } from './source-row.ts'

/** The names of WGS84 with degrees: EPSG:4326, urn:ogc:def:crs:OGC:1.3:CRS84, http://www.opengis.net/def/crs/EPSG/0/4326 … */
const WGS84 = /(?:^|[:/#])(?:EPSG(?:[:/][\d.]*)?[:/]4326|CRS:?84h?|WGS ?84)$/i
const SHOWN_MAX = 200

/**
 * Says what is wrong with the `crs` that GeoJSON had before RFC 7946 and that many tools still write; undefined where it is WGS84
 * or says nothing. Degrees are not guessed from anything else: a wrong place looks like a right one.
 */
export function crsFault(crs: unknown): string | undefined {
  if (crs === undefined || crs === null) return undefined
  const properties = isObject(crs) ? crs['properties'] : undefined
  const name = isObject(properties) ? properties['name'] : undefined
  if (typeof name === 'string' && WGS84.test(name.trim())) return undefined
  const shown = typeof name === 'string' ? `${JSON.stringify(name.slice(0, SHOWN_MAX))} and not in` : 'something else than'
  return `the coordinates are in ${shown} WGS84, as its crs says: export it in WGS84 (ogr2ogr -t_srs EPSG:4326)`
}

/** @throws ImportFailed when the `crs` of a whole file, as its bytes, is not WGS84. */
export function requireWgs84(crs: Buffer): void {
  const fault = crsFault(valueOf(crs))
  if (fault !== undefined) throw new ImportFailed(`The file cannot be imported: ${fault}.`)
}

/**
 * Looks at the `crs` of a GeoJSON file before anything of it is imported, even where it stands behind the features.
 * @throws ImportFailed when it is not WGS84.
 */
export async function refuseOtherCrs(path: string): Promise<void> {
  // Looking for a word is far quicker than cutting the file, and most files do not have it.
  if (!(await contains(path, Buffer.from('"crs"')))) return
  try {
    for await (const pieces of readPieces(createReadStream(path))) {
      for (const piece of pieces) {
        if (piece.of !== 'member' || piece.name !== 'crs') continue
        requireWgs84(piece.bytes)
        return
      }
    }
  } catch (error) {
    // Rows before the broken JSON are imported; it is reported when they are read.
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

/** Returns undefined for JSON that is broken or too long, which cannot be a name of WGS84. */
function valueOf(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return json
  }
}
