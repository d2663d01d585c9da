import { SingleBar } from 'cli-progress'

import type { Progress } from './report.ts'

const LINE_EVERY_MS = 3_000

export interface ProgressDisplay {
  show(progress: Progress): void
  end(): void
}

/** A bar on a terminal; elsewhere, as in a log, a line every few seconds. */
export function displayProgress(stream: NodeJS.WriteStream): ProgressDisplay {
  return stream.isTTY ? bar(stream) : lines(stream)
}

function bar(stream: NodeJS.WriteStream): ProgressDisplay {
  const drawn = new SingleBar({
    stream,
    format: '{bar} {percentage} % | {rows} rows | {rate} | {eta_formatted} left',
    etaBuffer: 50,
    hideCursor: true,
  })
  const startedAt = Date.now()
  let hasStarted = false
  return {
    show({ bytes, totalBytes, rows }) {
      if (!hasStarted) drawn.start(totalBytes, 0, { rows: 0, rate: '' })
      hasStarted = true
      drawn.update(bytes, { rows: count(rows), rate: rate(rows, Date.now() - startedAt) })
    },
    end() {
      if (hasStarted) drawn.stop()
    },
  }
}

function lines(stream: NodeJS.WriteStream): ProgressDisplay {
  const startedAt = Date.now()
  let shownAt = startedAt
  return {
    show({ bytes, totalBytes, rows }) {
      const now = Date.now()
      if (now - shownAt < LINE_EVERY_MS) return
      shownAt = now
      stream.write(`${Math.floor((100 * bytes) / totalBytes)} %, ${count(rows)} rows, ${rate(rows, now - startedAt)}\n`)
    },
    end() {},
  }
}

/** 1234567 → '1,234,567'. */
export const count = (number: number): string => number.toLocaleString('en')

export const rate = (rows: number, ms: number): string => `${count(Math.round((rows * 1000) / Math.max(ms, 1)))} rows/s`
