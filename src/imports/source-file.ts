import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'

import { readCsv } from './csv-rows.ts'
import { readFeatureCollection, readFeatureLines } from './feature-rows.ts'
import { readLines } from './lines.ts'
import { originalOf } from './rejected-file.ts'
import { ImportFailed, type Reading } from './source-row.ts'

export type SourceFormat = 'csv' | 'geojson' | 'ndjson'

export interface SourceFile {
  readonly path: string
  readonly format: SourceFormat
  /** In bytes. */
  readonly size: number
  /** Begins to read from the start. `bytesRead` runs ahead of the rows by what is buffered. */
  read(): Promise<OpenReading>
}

export interface OpenReading extends Reading {
  bytesRead(): number
  close(): void
}

const formats: Readonly<Record<string, SourceFormat>> = {
  '.csv': 'csv',
  '.geojson': 'geojson',
  '.json': 'geojson',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojsonl': 'ndjson',
  '.geojsons': 'ndjson',
}

const CHUNK_BYTES = 262_144

/**
 * Finds out what a file holds: by its extension, else by its first bytes.
 * @throws ImportFailed when it cannot be read or is empty.
 */
export async function openSource(path: string, format?: SourceFormat): Promise<SourceFile> {
  const { size } = await statFile(path)
  const found = format ?? formats[extname(path).toLowerCase()] ?? (await formatOf(path))
  return {
    path,
    size,
    format: found,
    async read() {
      const bytes = createReadStream(path, { highWaterMark: CHUNK_BYTES })
      const handle = { bytesRead: () => bytes.bytesRead, close: () => void bytes.destroy() }
      try {
        return { ...(await readingOf(bytes, found)), ...handle }
      } catch (error) {
        handle.close()
        throw error
      }
    },
  }
}

async function readingOf(bytes: Readable, format: SourceFormat): Promise<Reading> {
  switch (format) {
    case 'csv':
      return readCsv(readLines(bytes))
    case 'ndjson':
      return readFeatureLines(readLines(bytes))
    case 'geojson':
      return readFeatureCollection(bytes)
  }
}

/** The name under which rows of a file are known again: the file's name without its extension, whatever the format. */
export function sourceNameOf(path: string): string {
  // Rows that were put right in the file of rejected ones still belong to the file that they came from.
  const name = basename(originalOf(path))
  return basename(name, extname(name))
}

async function statFile(path: string) {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ImportFailed(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `The file ${path} cannot be read: ${error.message}`,
    )
  })
  if (!found.isFile()) throw new ImportFailed(`${path} is not a file.`)
  if (found.size === 0) throw new ImportFailed(`The file ${path} is empty.`)
  return found
}

/** CSV begins with the name of a column, JSON with a brace; a line that is whole JSON is one of many. */
async function formatOf(path: string): Promise<SourceFormat> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, 0)
    const text = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (text.startsWith('\u001e')) return 'ndjson'
    if (!text.startsWith('{')) return 'csv'
    return isWholeFeature(text.split('\n', 1)[0] ?? '') ? 'ndjson' : 'geojson'
  } finally {
    await file.close()
  }
}

function isWholeFeature(line: string): boolean {
  try {
    return (JSON.parse(line) as { type?: unknown }).type === 'Feature'
  } catch {
    return false
  }
}
