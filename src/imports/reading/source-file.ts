import { isUtf8 } from 'node:buffer'
import { open, rm, type FileHandle, stat } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import { ImportFailed, type RejectedRow, isObject, type Reading } from './source-row.ts'
import { createReadStream } from 'node:fs'
import { extname, basename } from 'node:path'
import type { Readable } from 'node:stream'
import { readCsv } from './csv-rows.ts'
import { readFeatureCollection, readFeatureLines, requireWgs84File } from './feature-rows.ts'
import { FEATURE_MAX, readLines } from './lines.ts'

const rejectedPath = (path: string): string => `${path}.rejected.csv`
const rejectedFeaturesPath = (path: string): string => `${path}.rejected.geojsonl`
const ending = /(\.rejected\.(csv|geojsonl))+$/i

export const originalPath = (path: string): string => path.replace(ending, '')

/** The prefix `rejected_` distinguishes an added column from one of the rows with the same name. */
export function rejectedColumns(path: string, columns: readonly string[]) {
  const isRejected = ending.test(path)
  const uniqueName = (name: string): string =>
    columns.includes(`rejected_${name}`) || (!isRejected && columns.includes(name)) ? uniqueName(`rejected_${name}`) : name
  const added = { line: uniqueName('line'), reason: uniqueName('reason'), row: uniqueName('row') }
  return { ...added, original: columns.filter((column) => !Object.values(added).includes(column)) }
}

export interface RejectedPaths {
  readonly rejectedFile: string | null
  /** Geometries are lost in CSV. */
  readonly rejectedFeatures: string | null
}

/** An unreadable row keeps its text in the column `row`. Features are also in FILE.rejected.geojsonl. Earlier files are removed. */
export async function openRejectedFiles(path: string, columns: readonly string[], hasFeatures: boolean) {
  const { original, ...added } = rejectedColumns(path, columns)
  for (const earlier of [rejectedPath(path), rejectedFeaturesPath(path)]) await rm(earlier, { force: true })
  const table = lazyFile(rejectedPath(path), stringify([[...original, added.line, added.reason, added.row]]))
  const features = lazyFile(rejectedFeaturesPath(path), '')
  const toCells = (row: RejectedRow) => [
    ...original.map((column) => toText(row.values[column])),
    row.line,
    row.error,
    // A row that is still unreadable keeps its text of the earlier import.
    row.raw === undefined ? toText(row.values[added.row]) : rawText(row.raw),
  ]
  return {
    async add(rows: readonly RejectedRow[]) {
      if (rows.length === 0) return
      await table.write(stringify(rows.map(toCells)))
      if (hasFeatures) await features.write(Buffer.concat(rows.map(toFeatureLine)))
    },
    paths: (): RejectedPaths => ({ rejectedFile: table.path(), rejectedFeatures: features.path() }),
    close: async () => void (await Promise.all([table.close(), features.close()])),
  }
}

/** A file that is created with its first content, after the head. @throws ImportFailed if it cannot be created */
export function lazyFile(path: string, head: string) {
  let file: FileHandle | undefined
  return {
    async write(content: string | Buffer) {
      if (file === undefined) {
        file = await open(path, 'w').catch((error: Error) => {
          throw new ImportFailed(`Rows are imported, but ${path} cannot be written: ${error.message}`)
        })
        await file.appendFile(head)
      }
      await file.appendFile(content)
    },
    path: () => (file === undefined ? null : path),
    close: async () => file?.close(),
  }
}

/** Bytes that are not UTF-8 stay unchanged, so that the next import rejects them too. JSON allows spaces for line breaks. */
function toFeatureLine({ feature, raw = '' }: RejectedRow): Buffer {
  const line = feature
    ? JSON.stringify(feature)
    : Buffer.from(raw)
        .toString('latin1')
        .replace(/[\r\n]+/g, ' ')
  return Buffer.from(`${line}\n`, feature ? 'utf8' : 'latin1')
}

/** Many spreadsheets write Windows-1252. */
function rawText(raw: string | Buffer): string {
  if (typeof raw === 'string') return raw
  return isUtf8(raw) ? raw.toString() : new TextDecoder('windows-1252').decode(raw)
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A `geojson` file has one or several objects; a `sequence` is a GeoJSON text sequence (RFC 8142). */
export type SourceFormat = 'csv' | 'geojson' | 'ndjson' | 'sequence'

const RECORD_SEPARATOR = 0x1e

const formats: Readonly<Record<string, SourceFormat>> = {
  '.csv': 'csv',
  '.geojson': 'geojson',
  '.json': 'geojson',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojsonl': 'ndjson',
  '.geojsons': 'ndjson',
}

const BEGINNING_BYTES = 262_144
const beginsCollection = /^\{\s*"type"\s*:\s*"FeatureCollection"/
const beginsFeature = /^\{\s*"type"\s*:\s*"Feature"/

/** Detects the format by the beginning, because .json and .geojson are used for every kind of GeoJSON. */
async function detectFormat(path: string): Promise<SourceFormat> {
  const named = formats[extname(path).toLowerCase()]
  if (named === 'csv') return named
  const text = await readBeginning(path)
  if (text.charCodeAt(0) === RECORD_SEPARATOR) return 'sequence'
  if (!text.startsWith('{')) return named ?? 'csv'
  if (beginsCollection.test(text)) return 'geojson'
  const [first = '', second = ''] = text.split('\n').filter((line) => line.trim() !== '')
  const isLines = isWholeFeature(first) || (beginsFeature.test(first) && second.trimStart().startsWith('{'))
  return isLines ? 'ndjson' : (named ?? 'geojson')
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0)
    return buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart()
  } finally {
    await file.close()
  }
}

function isWholeFeature(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) && value['type'] === 'Feature'
  } catch {
    return false
  }
}

export interface SourceFile {
  readonly path: string
  readonly format: SourceFormat
  readonly size_bytes: number
  read(): Promise<OpenReading>
}

interface OpenReading extends Reading {
  /** The count includes buffered rows. */
  bytesRead(): number
  close(): void
}

const CHUNK_BYTES = 262_144

/** @throws ImportFailed if the file cannot be read, is empty or is not in WGS84 */
export async function openSource(path: string): Promise<SourceFile> {
  const { size } = await statFile(path)
  const found = await detectFormat(path)
  if (found === 'geojson') await requireWgs84File(path)
  return {
    path,
    size_bytes: size,
    format: found,
    async read() {
      const bytes = createReadStream(path, { highWaterMark: CHUNK_BYTES })
      const handle = { bytesRead: () => bytes.bytesRead, close: () => void bytes.destroy() }
      try {
        return { ...(await createReading(bytes, found)), ...handle }
      } catch (error) {
        handle.close()
        throw error
      }
    },
  }
}

async function createReading(bytes: Readable, format: SourceFormat): Promise<Reading> {
  switch (format) {
    case 'csv':
      return readCsv(readLines(bytes))
    case 'ndjson':
      return { chunks: readFeatureLines(readLines(bytes, FEATURE_MAX)) }
    case 'sequence':
      return { chunks: readFeatureLines(readLines(bytes, FEATURE_MAX, RECORD_SEPARATOR)) }
    case 'geojson':
      return { chunks: readFeatureCollection(bytes) }
  }
}

export function defaultSourceName(path: string): string {
  const name = basename(originalPath(path))
  return basename(name, extname(name))
}

async function statFile(path: string) {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ImportFailed(
      error.code === 'ENOENT' ? `File not found: ${path}` : `The file ${path} cannot be read: ${error.message}`,
    )
  })
  if (!found.isFile()) throw new ImportFailed(`${path} is not a file.`)
  if (found.size === 0) throw new ImportFailed(`The file ${path} is empty.`)
  return found
}
