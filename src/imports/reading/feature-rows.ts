import { createReadStream } from 'node:fs'
import { getManyValues, none } from 'stream-chain/defs.js'
import { Assembler } from 'stream-json/core/assembler.js'
import { jsonParser } from 'stream-json/core/parser.js'
import { validateCrs } from './coordinate-system.ts'
import { FEATURE_MAX, type Line } from './lines.ts'
import { ImportFailed, isObject, type SourceRow } from './source-row.ts'

/** GeoJSON needs fewer than ten levels; JSON.stringify exhausts the stack at some thousand. */
const NESTING_MAX = 100

function toRow(line: number, feature: unknown, json: string | undefined, size = 0): SourceRow {
  if (!isObject(feature) || feature['type'] !== 'Feature')
    return { line, values: {}, error: 'it is not a GeoJSON Feature', raw: json ?? JSON.stringify(feature) }
  const { properties, geometry, crs } = feature
  const error = validateCrs(crs) ?? (isObject(geometry) ? validateCrs(geometry['crs']) : undefined)
  const values = isObject(properties) ? properties : {}
  return { line, values, feature, size: json?.length ?? size, ...(error !== undefined && { error }) }
}

const supportedTypes =
  'Supported are a FeatureCollection, a Feature, newline-delimited Features and GeoJSON text sequences (RFC 8142), in UTF-8.'

class OtherCoordinateSystem extends ImportFailed {}

/** Runs before the import, because `crs` may follow the features. @throws ImportFailed if it is not WGS84 */
export async function requireWgs84File(path: string): Promise<void> {
  // A search is far faster than parsing, and most files do not have the word.
  if (!(await contains(path, Buffer.from('"crs"')))) return
  try {
    for await (const _ of readFeatureCollection(createReadStream(path)));
  } catch (error) {
    // The import itself reports invalid JSON, after the features before it.
    if (error instanceof OtherCoordinateSystem || !(error instanceof ImportFailed)) throw error
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

/** Uses constant memory. Throws ImportFailed at invalid JSON, after the features of the chunks before it. */
export async function* readFeatureCollection(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  const collection = new CollectionReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of bytes) yield collection.read(decoder.decode(chunk, { stream: true }))
    decoder.decode()
    yield collection.read(none)
  } catch (error) {
    if (error instanceof ImportFailed) throw error
    const help = collection.count === 0 ? ` ${supportedTypes}` : ''
    throw new ImportFailed(`The GeoJSON is invalid after feature ${collection.count}: ${(error as Error).message}.${help}`)
  }
  if (!collection.hasObject) throw new ImportFailed(`The file has no features. ${supportedTypes}`)
}

/** Takes each feature out of its list as soon as it is complete. */
class CollectionReader {
  count = 0
  hasObject = false
  readonly #parse = jsonParser({ jsonStreaming: true, streamValues: false })
  readonly #assembler = new Assembler()
  /** Characters since the last feature. */
  #size = 0

  /** @throws Error for invalid JSON, ImportFailed for another coordinate system or type */
  read(text: string | typeof none): SourceRow[] {
    const rows: SourceRow[] = []
    const tokens = this.#parse(text as string)
    const { stack } = this.#assembler
    for (const token of tokens === none ? [] : getManyValues(tokens)) {
      this.#assembler.consume(token)
      this.#size += 'value' in token ? String(token.value).length : 1
      if (this.#size > FEATURE_MAX) throw new Error(`the next feature is longer than ${FEATURE_MAX} characters`)
      if (stack.length > 2 * NESTING_MAX + 2) throw new Error(`the next feature is nested deeper than ${NESTING_MAX} levels`)
      const { current, done } = this.#assembler
      if (done) rows.push(...this.#finish(current))
      else if (stack.length === 2 && stack[1] === 'features' && Array.isArray(current) && current.length > 0)
        rows.push(this.#toRow(current.pop()))
    }
    return rows
  }

  #toRow(feature: unknown): SourceRow {
    const size = this.#size
    this.#size = 0
    return toRow(++this.count, feature, undefined, size)
  }

  #finish(value: unknown): SourceRow[] {
    this.hasObject = true
    const { type, crs, features: list } = isObject(value) ? value : {}
    const error = validateCrs(crs)
    if (error !== undefined) throw new OtherCoordinateSystem(`The file cannot be imported: ${error}.`)
    if (Array.isArray(list)) return []
    if (type === 'Feature') return [this.#toRow(value)]
    const shown = type === undefined ? '' : `: its GeoJSON type is ${JSON.stringify(type)}`
    throw new ImportFailed(`The file has no features${shown}. ${supportedTypes}`)
  }
}

/** Each line, or record of a text sequence, has one Feature. */
export async function* readFeatureLines(chunks: AsyncIterable<Line[]>): AsyncGenerator<SourceRow[]> {
  for await (const lines of chunks) yield lines.filter((line) => line.error !== undefined || line.text.trim() !== '').map(fromLine)
}

function fromLine({ number, text, error, raw }: Line): SourceRow {
  if (error !== undefined) return { line: number, values: {}, error, raw: raw ?? '' }
  try {
    const feature: unknown = JSON.parse(text)
    return isDeeper(feature, NESTING_MAX)
      ? { line: number, values: {}, error: `the line is nested deeper than ${NESTING_MAX} levels`, raw: text }
      : toRow(number, feature, text)
  } catch {
    return { line: number, values: {}, error: 'the line is not JSON', raw: text }
  }
}

const isDeeper = (value: unknown, max: number): boolean =>
  typeof value === 'object' && value !== null && (max === 0 || Object.values(value).some((one) => isDeeper(one, max - 1)))
