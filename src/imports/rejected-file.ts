import { stringify } from 'csv-stringify/sync'
import { open, rm, type FileHandle } from 'node:fs/promises'

import { ImportFailed, type RejectedRow } from './source-row.ts'

export const rejectedPathOf = (path: string): string => `${path}.rejected.csv`

/** What this file adds to the columns of the rows. */
const added = ['line', 'reason'] as const

/** Keeps rejected rows beside the file that they came from, with their columns as they were, the line and the reason. */
export interface RejectedFile {
  add(rows: readonly RejectedRow[]): Promise<void>
  /** Undefined while nothing was rejected: then there is no file. */
  path(): string | undefined
  close(): Promise<void>
}

/** A file that an earlier run left is removed. */
export async function openRejected(sourcePath: string, columns: readonly string[]): Promise<RejectedFile> {
  const path = rejectedPathOf(sourcePath)
  await rm(path, { force: true })
  const kept = columns.filter((column) => !added.some((name) => name === column))
  let file: FileHandle | undefined
  return {
    async add(rows) {
      if (rows.length === 0) return
      if (file === undefined) {
        file = await openForWriting(path)
        await file.write(stringify([[...kept, ...added]]))
      }
      await file.write(stringify(rows.map((row) => [...kept.map((column) => toText(row.values[column])), row.line, row.fault])))
    },
    path: () => (file === undefined ? undefined : path),
    close: async () => file?.close(),
  }
}

function openForWriting(path: string): Promise<FileHandle> {
  return open(path, 'w').catch((error: Error) => {
    throw new ImportFailed(`Rows were rejected, and they cannot be written down: ${error.message}`)
  })
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
