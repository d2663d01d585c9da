import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'

import { requireWgs84File } from './coordinate-system.ts'
import { readCsv } from './csv-rows.ts'
import { readFeatureLines } from './feature-lines.ts'
import { readFeatureCollection } from './feature-rows.ts'
import { FEATURE_MAX, readLines } from './lines.ts'
import { originalPath } from './rejected-file.ts'
import { detectFormat, type SourceFormat } from './source-format.ts'
import { ImportFailed, type Reading } from './source-row.ts'

export interface SourceFile {
  readonly path: string
  readonly format: SourceFormat
  readonly size_bytes: number
  read(): Promise<OpenReading>
}

export interface OpenReading extends Reading {
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
