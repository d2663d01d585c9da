import { clearLine, cursorTo } from 'node:readline'

import type { RejectedPaths, SourceFormat } from './reading/source-file.ts'

export interface ImportOptions {
  readonly path: string
  /** The default is the name of the file without its extension. */
  readonly source?: string
  readonly format?: SourceFormat
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
const BAR_EVERY_MS = 100
const BAR_WIDTH = 40

interface ProgressDisplay {
  show(progress: Progress): void
  end(): void
}

export function displayProgress(stream: NodeJS.WriteStream): ProgressDisplay {
  const startedAt = Date.now()
  let shownAt = startedAt
  return {
    show({ bytes, totalBytes, rows }) {
      const now = Date.now()
      if (now - shownAt < (stream.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return
      shownAt = now
      const done = bytes / totalBytes
      const elapsed_ms = now - startedAt
      const text = `${Math.floor(100 * done)} %, ${formatCount(rows)} rows, ${formatRate(rows, elapsed_ms)}`
      if (!stream.isTTY) return void stream.write(`${text}\n`)
      const left_s = Math.ceil((elapsed_ms * (1 / done - 1)) / 1000)
      cursorTo(stream, 0)
      stream.write(`${'='.repeat(BAR_WIDTH * done).padEnd(BAR_WIDTH, '-')} ${text}, ${formatCount(left_s)} s left`)
      clearLine(stream, 1)
    },
    end() {
      if (stream.isTTY && shownAt > startedAt) stream.write('\n')
    },
  }
}

export const formatCount = (number: number): string => number.toLocaleString('en')

export const formatRate = (rows: number, ms: number): string => `${formatCount(Math.round((rows * 1000) / Math.max(ms, 1)))} rows/s`
