import { isUtf8 } from 'node:buffer'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'

import { ImportFailed, type RejectedRow } from './source-row.ts'

const rejectedPath = (path: string): string => `${path}.rejected.csv`
const rejectedFeaturesPath = (path: string): string => `${path}.rejected.geojsonl`
const ending = /(\.rejected\.(csv|geojsonl))+$/i

/** The file that the rows of a file of rejected rows came from; any other file is its own. */
export const originalPath = (path: string): string => path.replace(ending, '')

export interface RejectedColumns {
  /** The columns of the rows. */
  readonly original: readonly string[]
  /** The columns that the file of rejected rows adds. */
  readonly line: string
  readonly reason: string
  readonly row: string
}

/**
 * Tells the columns of the rows from those that a file of rejected rows adds: `line`, `reason` and `row`, with `rejected_` before
 * where the rows have a column of that name.
 */
export function rejectedColumns(path: string, columns: readonly string[]): RejectedColumns {
  const isRejected = ending.test(path)
  const nameOf = (name: string): string =>
    columns.includes(`rejected_${name}`) || (!isRejected && columns.includes(name)) ? nameOf(`rejected_${name}`) : name
  const added = { line: nameOf('line'), reason: nameOf('reason'), row: nameOf('row') }
  return { ...added, original: columns.filter((column) => !Object.values(added).includes(column)) }
}

/** Path of the file with rejected rows; null if there are none. */
export interface RejectedPaths {
  readonly rejectedFile: string | null
  /** For features only, which CSV cannot hold whole. */
  readonly rejectedFeatures: string | null
}

/** Writes rejected rows next to the imported file, so that they can be repaired and imported again. */
export interface RejectedFiles {
  add(rows: readonly RejectedRow[]): Promise<void>
  paths(): RejectedPaths
  close(): Promise<void>
}

/**
 * Each row goes into FILE.rejected.csv with its columns as they were, its line and the reason. Of what could not be read into
 * columns the text goes into the column `row`: guessed cells might be taken for right by the next import. Where `ofFeatures` is
 * set, the feature goes into FILE.rejected.geojsonl as well. Files that an earlier run left are removed.
 */
export async function openRejectedFiles(path: string, columns: readonly string[], ofFeatures: boolean): Promise<RejectedFiles> {
  const { original, ...added } = rejectedColumns(path, columns)
  const table = await lazyFile(rejectedPath(path), stringify([[...original, added.line, added.reason, added.row]]))
  const features = await lazyFile(rejectedFeaturesPath(path), '')
  const toCells = (row: RejectedRow) => [
    ...original.map((column) => toText(row.values[column])),
    row.line,
    row.fault,
    // An unreadable row is written again if it was not repaired before the next import.
    row.raw === undefined ? toText(row.values[added.row]) : rawText(row.raw),
  ]
  return {
    async add(rows) {
      if (rows.length === 0) return
      await table.write(stringify(rows.map(toCells)))
      if (ofFeatures) await features.write(Buffer.concat(rows.map(toFeatureLine)))
    },
    paths: () => ({ rejectedFile: table.path(), rejectedFeatures: features.path() }),
    close: async () => void (await Promise.all([table.close(), features.close()])),
  }
}

/** A file that is made when the first is written to it; one of that name is removed. */
async function lazyFile(path: string, head: string) {
  await rm(path, { force: true })
  let file: FileHandle | undefined
  return {
    async write(content: string | Buffer) {
      if (file === undefined) {
        file = await openForWriting(path)
        await file.appendFile(head)
      }
      await file.appendFile(content)
    },
    path: () => (file === undefined ? null : path),
    close: async () => file?.close(),
  }
}

function openForWriting(path: string): Promise<FileHandle> {
  return open(path, 'w').catch((error: Error) => {
    throw new ImportFailed(`Rows were rejected, and they cannot be written down: ${error.message}`)
  })
}

/**
 * Bytes that are not UTF-8 stay so: read as what they probably mean, the next import would take them for certain. Only line breaks
 * between them, which mean nothing in JSON, become blanks.
 */
function toFeatureLine({ feature, raw = '' }: RejectedRow): Buffer {
  const line = feature
    ? JSON.stringify(feature)
    : Buffer.from(raw)
        .toString('latin1')
        .replace(/[\r\n]+/g, ' ')
  return Buffer.from(`${line}\n`, feature ? 'utf8' : 'latin1')
}

/** Decodes bytes that are not UTF-8 as Windows-1252, which spreadsheets write and which has a character for every byte. */
function rawText(raw: string | Buffer): string {
  if (typeof raw === 'string') return raw
  return isUtf8(raw) ? raw.toString() : new TextDecoder('windows-1252').decode(raw)
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
