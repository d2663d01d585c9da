import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { extname, basename } from 'node:path'
import type { Readable } from 'node:stream'

import { requireWgs84File } from './coordinate-system.ts'
import { readCsv } from './csv-rows.ts'
import { RECORD_SEPARATOR, readFeatureLines, readFeatureCollection } from './feature-rows.ts'
import { FEATURE_MAX, readLines } from './lines.ts'
import { originalPath } from './rejected-file.ts'
import { isObject, ImportFailed, type Reading } from './source-row.ts'

/** A `geojson` file has one or several objects; `ndjson` includes GeoJSON text sequences. */
export type SourceFormat = 'csv' | 'geojson' | 'ndjson'

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
  if (text.startsWith(RECORD_SEPARATOR)) return 'ndjson'
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
export async function openSource(path: string, format?: SourceFormat): Promise<SourceFile> {
  const { size } = await statFile(path)
  const found = format ?? (await detectFormat(path))
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
      return readFeatureLines(readLines(bytes, FEATURE_MAX))
    case 'geojson':
      return readFeatureCollection(bytes)
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
