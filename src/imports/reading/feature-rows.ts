import { validateCrs, requireWgs84 } from './coordinate-system.ts'
import { InvalidJson, ValueEndFinder, readPieces, type Piece } from './json-pieces.ts'
import { isObject, type SourceRow, ImportFailed, type Reading } from './source-row.ts'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { FEATURE_MAX, lengthError, type Line } from './lines.ts'

/** GeoJSON needs fewer than ten levels; JSON.stringify exhausts the stack at some thousand. */
const NESTING_MAX = 100

/** The number of a feature in a collection counts as its line. */
function rowFromText(line: number, json: string, what: 'line' | 'feature'): SourceRow {
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

const supportedTypes =
  'Supported are a FeatureCollection, a Feature, newline-delimited Features and GeoJSON text sequences (RFC 8142), in UTF-8.'

/** Uses constant memory. The stream throws ImportFailed at invalid JSON between features, after the features before it. */
export function readFeatureCollection(bytes: Readable): Reading {
  return { chunks: features(bytes) }
}

async function* features(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  let count = 0
  let type: string | undefined
  let hasObject = false
  let rows: SourceRow[] = []

  const addPiece = (piece: Piece): void => {
    if (piece.kind === 'feature') {
      rows.push(rowFromPiece(++count, piece.bytes, piece.isWhole))
    } else if (piece.kind === 'member') {
      if (piece.name === 'crs') requireWgs84(piece.bytes)
      if (piece.name === 'type') type = piece.bytes.toString()
    } else {
      hasObject = true
      if (piece.bytes !== undefined) {
        if (type !== '"Feature"') throw unsupportedTypeError(type)
        rows.push(rowFromPiece(++count, piece.bytes, piece.isWhole))
      }
      type = undefined
    }
  }

  try {
    for await (const pieces of readPieces(bytes)) {
      rows = []
      for (const piece of pieces) addPiece(piece)
      yield rows
      rows = []
    }
  } catch (error) {
    yield rows
    if (!(error instanceof InvalidJson)) throw error
    throw new ImportFailed(
      `The GeoJSON is invalid after feature ${count}: ${error.message}.${count === 0 ? ` ${supportedTypes}` : ''}`,
    )
  }
  if (!hasObject) throw unsupportedTypeError(undefined)
}

const unsupportedTypeError = (type: string | undefined): ImportFailed =>
  new ImportFailed(`The file has no features${type === undefined ? '' : `: its GeoJSON type is ${type}`}. ${supportedTypes}`)

function rowFromPiece(line: number, bytes: Buffer, isWhole: boolean): SourceRow {
  if (!isWhole) return { line, values: {}, error: lengthError('feature', FEATURE_MAX), raw: bytes }
  // The copy frees the chunk of the bytes.
  if (!isUtf8(bytes)) return { line, values: {}, error: 'the feature is not UTF-8', raw: Buffer.from(bytes) }
  return rowFromText(line, bytes.toString(), 'feature')
}

/** RFC 8142 defines this character. */
export const RECORD_SEPARATOR = '\u001e'
const separators = new RegExp(`^${RECORD_SEPARATOR}+`)

/** A first line with a record separator makes the file a GeoJSON text sequence, whose Features may have several lines. */
export function readFeatureLines(chunks: AsyncIterable<Line[]>): Reading {
  return { chunks: rows(chunks) }
}

async function* rows(chunks: AsyncIterable<Line[]>): AsyncGenerator<SourceRow[]> {
  let isSequence: boolean | undefined
  let open: Line[] = []
  let openLength = 0
  for await (const lines of chunks) {
    const found: SourceRow[] = []
    for (const line of lines) {
      const isBlank = line.error === undefined && line.text.trim() === ''
      if (isBlank) continue
      isSequence ??= line.text.startsWith(RECORD_SEPARATOR)
      if (!isSequence) {
        found.push(...rowsFromLine(line))
        continue
      }
      if (line.error !== undefined || line.text.startsWith(RECORD_SEPARATOR) || openLength > FEATURE_MAX) {
        found.push(...rowsFromRecord(open))
        open = []
        openLength = 0
      }
      open.push(line)
      openLength += line.text.length
    }
    yield found
  }
  yield rowsFromRecord(open)
}

/** A sequence with missing separators may have a complete Feature on each line. */
function rowsFromRecord(lines: readonly Line[]): SourceRow[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  if (others.length === 0 || first.error !== undefined) return lines.flatMap(rowsFromLine)
  const json = lines.map(({ text }) => text.replace(separators, '')).join('\n')
  const whole = rowFromText(first.number, json, 'line')
  if (whole.feature !== undefined) return [whole]
  const each = lines.flatMap(rowsFromLine)
  return each.some(({ feature }) => feature !== undefined) ? each : [whole]
}

function rowsFromLine({ number, text, error, raw = Buffer.of() }: Line): SourceRow[] {
  if (error !== undefined) return [{ line: number, values: {}, error, raw }]
  const json = text.replace(separators, '')
  return json.trim() === '' ? [] : [rowFromText(number, json, 'line')]
}
