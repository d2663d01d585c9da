import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'

import { requireWgs84 } from './coordinate-system.ts'
import { rowFromText } from './feature-text.ts'
import { readPieces, type Piece } from './json-pieces.ts'
import { InvalidJson } from './json-value.ts'
import { FEATURE_MAX, lengthError } from './lines.ts'
import { ImportFailed, type Reading, type SourceRow } from './source-row.ts'

const supportedTypes =
  'Taken are a FeatureCollection, a single Feature, and Features of which each has a line of its own or a text of a sequence ' +
  '(RFC 8142), in UTF-8.'

/**
 * Reads the features of a FeatureCollection one by one; a Feature alone is a collection of one. A feature that cannot be read costs
 * only itself. JSON that breaks off or goes wrong between features ends the reading, after those before it were handed on.
 */
export function readFeatureCollection(bytes: Readable): Reading {
  return { portions: features(bytes) }
}

async function* features(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  let count = 0
  let type: string | undefined
  let hasObject = false
  let portion: SourceRow[] = []

  const take = (piece: Piece): void => {
    if (piece.of === 'feature') {
      portion.push(rowFromPiece(++count, piece.bytes, piece.isWhole))
    } else if (piece.of === 'member') {
      if (piece.name === 'crs') requireWgs84(piece.bytes)
      if (piece.name === 'type') type = piece.bytes.toString()
    } else {
      hasObject = true
      if (piece.bytes !== undefined) {
        if (type !== '"Feature"') throw unsupportedTypeError(type)
        portion.push(rowFromPiece(++count, piece.bytes, piece.isWhole))
      }
      type = undefined
    }
  }

  try {
    for await (const pieces of readPieces(bytes)) {
      portion = []
      for (const piece of pieces) take(piece)
      yield portion
      portion = []
    }
  } catch (error) {
    yield portion
    if (!(error instanceof InvalidJson)) throw error
    throw new ImportFailed(
      `The GeoJSON is broken after feature ${count}: ${error.message}.${count === 0 ? ` ${supportedTypes}` : ''}`,
    )
  }
  if (!hasObject) throw unsupportedTypeError(undefined)
}

const unsupportedTypeError = (type: string | undefined): ImportFailed =>
  new ImportFailed(`The file has no features${type === undefined ? '' : `: it is GeoJSON of the type ${type}`}. ${supportedTypes}`)

function rowFromPiece(line: number, bytes: Buffer, isWhole: boolean): SourceRow {
  if (!isWhole) return { line, values: {}, fault: lengthError('feature', FEATURE_MAX), raw: bytes }
  // A copy, since a part would hold on to all that was read with it.
  if (!isUtf8(bytes)) return { line, values: {}, fault: 'the feature is not UTF-8', raw: Buffer.from(bytes) }
  return rowFromText(line, bytes.toString(), 'feature')
}
