import type { RejectedPaths } from './reading/rejected-file.ts'
import type { SourceFormat } from './reading/source-format.ts'

export interface ImportOptions {
  readonly path: string
  /** Names the rows together with their ids, so that a later run knows them again. Default: the name of the file. */
  readonly source?: string
  /** Default: what its beginning and its extension say. */
  readonly format?: SourceFormat
  readonly onProgress?: (progress: Progress) => void
  /** Stops the import after the batch that is being written. */
  readonly signal?: AbortSignal
}

export interface Progress {
  readonly bytes: number
  readonly totalBytes: number
  /** Number of processed rows. */
  readonly rows: number
}

/** The result of an import. Every row is imported, unchanged or rejected, unless the import was stopped. */
export interface Report extends RejectedPaths {
  readonly rows: number
  readonly imported: number
  /** Known from an earlier run, or twice the same in the file. */
  readonly unchanged: number
  readonly rejected: number
  readonly ignoredColumns: readonly string[]
  readonly stopped: boolean
}

const IGNORED_MAX = 50

/** Gathers the names of columns that nothing is known of, each once; a file of features may have a different set in each. */
export function trackIgnoredColumns(known: readonly string[]) {
  const expected = new Set(known)
  const ignored = new Set<string>()
  return {
    see(names: readonly string[]): void {
      for (const name of names) if (!expected.has(name) && ignored.size < IGNORED_MAX) ignored.add(name)
    },
    ignored: () => [...ignored],
  }
}
