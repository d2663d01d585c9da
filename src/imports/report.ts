import type { RejectedPaths } from './reading/rejected-file.ts'
import type { SourceFormat } from './reading/source-format.ts'

export interface ImportOptions {
  readonly path: string
  /** The default is the name of the file without its extension. */
  readonly source?: string
  readonly format?: SourceFormat
  readonly onProgress?: (progress: Progress) => void
  /** The current batch is finished first. */
  readonly signal?: AbortSignal
}

export interface Progress {
  readonly bytes: number
  readonly totalBytes: number
  readonly rows: number
}

export interface Report extends RejectedPaths {
  readonly rows: number
  readonly imported: number
  /** The count includes rows that equal an earlier row of the file. */
  readonly unchanged: number
  readonly rejected: number
  readonly ignoredColumns: readonly string[]
  readonly stopped: boolean
}

const IGNORED_MAX = 50

/** Every feature of a file may have different columns. */
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
