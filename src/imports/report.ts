import type { RejectedPaths } from './reading/source-file.ts'

export interface ImportOptions {
  readonly path: string
  /** The default is the name of the file without its extension. */
  readonly source?: string
  readonly onProgress?: (progress: Progress) => void
  /** The current batch is finished first. */
  readonly signal?: AbortSignal
}

interface Progress {
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

const LINE_EVERY_MS = 3_000

/** Returns a function that writes a line every three seconds. */
export function displayProgress(stream: NodeJS.WritableStream): (progress: Progress) => void {
  const startedAt = Date.now()
  let shownAt = startedAt
  return ({ bytes, totalBytes, rows }) => {
    const now = Date.now()
    if (now - shownAt < LINE_EVERY_MS) return
    shownAt = now
    stream.write(`${Math.floor((100 * bytes) / totalBytes)} %, ${formatCount(rows)} rows, ${formatRate(rows, now - startedAt)}\n`)
  }
}

export const formatCount = (number: number): string => number.toLocaleString('en')

export const formatRate = (rows: number, ms: number): string => `${formatCount(Math.round((rows * 1000) / Math.max(ms, 1)))} rows/s`
