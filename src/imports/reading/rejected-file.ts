import { isUtf8 } from 'node:buffer'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'

import { ImportFailed, type RejectedRow } from './source-row.ts'

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

interface RejectedFiles {
  add(rows: readonly RejectedRow[]): Promise<void>
  paths(): RejectedPaths
  close(): Promise<void>
}

/** An unreadable row keeps its text in the column `row`. Features are also in FILE.rejected.geojsonl. Earlier files are removed. */
export async function openRejectedFiles(path: string, columns: readonly string[], hasFeatures: boolean): Promise<RejectedFiles> {
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
    async add(rows) {
      if (rows.length === 0) return
      await table.write(stringify(rows.map(toCells)))
      if (hasFeatures) await features.write(Buffer.concat(rows.map(toFeatureLine)))
    },
    paths: () => ({ rejectedFile: table.path(), rejectedFeatures: features.path() }),
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
