import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'

import { Id, type Queryable, sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import { type ChangesPosition, positionColumns } from '../../issue-lifecycle/changes-cursor.ts'
import { listPolledIssues, type Poll, type PollNews, readPoll } from './poll.ts'

/** A waiting client learns of a commit within this time, unless an older transaction is still writing. */
const POLL_MS = 250
/** The pause after an error, such as a database that restarts. */
const RETRY_MS = 2_000
/** A client that is slower than this number of polls reads its changes from the database. */
const POLLS_MAX = 20

/** Changes around an area: those of a poll, or some that are not in memory. */
export type News = PollNews | 'unread'

export interface AreaWatch {
  readonly cells: readonly Cell[]
  /** The log in which the area has these cells. */
  readonly log: string
  /** Waits for news until the time is over or the watch ends. */
  hasNews(waitMax_ms: number): Promise<boolean>
  /** Returns the news after those of the last call. */
  take(): News
  end(): void
  hasEnded(): boolean
}

export interface ChangeWatch {
  /** @param beginsNow without it, the first news is `unread`: the client has a position of its own */
  watch(area: Area, beginsNow?: boolean): Promise<AreaWatch>
  /** The position of the last poll, which has found all changes before it. */
  polled(): ChangesPosition | undefined
  /** Ends all watches; later ones have ended when they begin. */
  close(): void
}

/**
 * Tells clients that wait for changes what has changed around their areas. One statement polls the log for all clients of the process, and one reads the
 * issues. A client is woken if the log has changes in one of the few cells around its area. Looking up the cells of all clients takes some milliseconds
 * for 10,000 of them, less memory than an index, and no time while nothing changes.
 * @param db the primary server: a replica could be behind the one that has the change
 */
export function createChangeWatch(db: Queryable, log: Pick<FastifyBaseLogger, 'warn'>): ChangeWatch {
  const waiting = new Set<{ readonly cells: readonly Cell[]; readonly wake: (news: PollNews) => void }>()
  const closing = new AbortController()
  let last: Poll | undefined
  /** The first poll of the loop that runs; undefined while no client waits. */
  let polling: Promise<void> | undefined

  return { watch, polled: () => last?.position, close: () => closing.abort() }

  async function watch(area: Area, beginsNow = false): Promise<AreaWatch> {
    const rows = await db.query(sql.type(CellRow)`
      SELECT around.cell, now.log FROM (SELECT ${positionColumns(area)}) now, unnest(${cellsAround(area)}) around (cell)`)
    const cells = rows.map(({ cell }) => cell)
    let news: News[] = beginsNow ? [] : ['unread']
    let hasEnded = closing.signal.aborted
    let resolve: (() => void) | undefined
    const wake = (found: PollNews) => {
      if (news.length === POLLS_MAX) news = ['unread']
      else if (news[0] !== 'unread') news.push(found)
      resolve?.()
    }
    const end = () => {
      hasEnded = true
      resolve?.()
      closing.signal.removeEventListener('abort', end)
      waiting.delete(waiter)
    }
    closing.signal.addEventListener('abort', end)
    const waiter = { cells, wake }
    waiting.add(waiter)
    polling ??= poll()
    await polling.catch((error: unknown) => {
      end()
      throw error
    })
    return {
      cells,
      log: rows[0]?.log ?? '',
      end,
      hasEnded: () => hasEnded,
      hasNews: (waitMax_ms) =>
        new Promise((done) => {
          const answer = () => {
            clearTimeout(timer)
            done(news.length > 0 && !hasEnded)
          }
          const timer = setTimeout(answer, waitMax_ms)
          resolve = answer
          if (news.length > 0 || hasEnded) answer()
        }),
      take: () => news.shift() ?? 'unread',
    }
  }

  /** Starts to poll while clients wait, and returns after the first poll. */
  async function poll(): Promise<void> {
    await readNext(undefined).catch((error: unknown) => {
      polling = undefined
      throw error
    })
    void pollOn()
  }

  async function pollOn(): Promise<void> {
    while (waiting.size > 0 && !closing.signal.aborted) {
      await pause(POLL_MS, undefined, { ref: false })
      try {
        const found = await readNext(last)
        const { changes } = found
        // A client that begins to wait after this has a position that is not before this poll.
        const woken = [...waiting].filter(({ cells }) => !changes || cells.some((cell) => changes.has(cell)))
        const cells = new Set<Cell>()
        for (const waiter of woken) for (const cell of waiter.cells) cells.add(cell)
        const issues = await listPolledIssues(db, found, cells).catch(warn)
        const news = { poll: found, issues }
        for (const { wake } of woken) wake(news)
      } catch (error) {
        warn(error)
        await pause(RETRY_MS, undefined, { ref: false })
      }
    }
    polling = last = undefined
  }

  async function readNext(before: Poll | undefined): Promise<Poll> {
    last = await readPoll(db, before)
    return last
  }

  function warn(error: unknown): undefined {
    log.warn({ err: error }, 'the log of changes could not be read')
  }
}

const CellRow = Type.Object({ cell: Id, log: Type.String() })
