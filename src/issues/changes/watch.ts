import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'

import { Id, type Queryable, sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
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
  /** Returns what has changed around the area since the last call. Waits for it until the time is over or the watch ends. */
  next(waitMax_ms: number): Promise<News | undefined>
  end(): void
  hasEnded(): boolean
}

export interface ChangeWatch {
  watch(area: Area): Promise<AreaWatch>
  /** The transaction before which the last poll has found all changes. */
  polled_xid(): number
  /** Ends all watches; later ones have ended when they begin. */
  close(): void
}

/**
 * Tells clients that wait for changes what has changed around their areas. One statement polls the log for all clients of the process, and one reads the
 * issues. A client is found by the few cells around its area, so that a change costs what it touches, however many clients wait.
 * @param db the primary server: a replica could be behind the one that has the change
 */
export function createChangeWatch(db: Queryable, log: Pick<FastifyBaseLogger, 'warn'>): ChangeWatch {
  const wakers = new Map<Cell, Set<(news: PollNews) => void>>()
  const closing = new AbortController()
  let last: Poll | undefined
  /** The first poll of the loop that runs; undefined while no client waits. */
  let polling: Promise<void> | undefined

  return { watch, polled_xid: () => last?.position.xid ?? 0, close: () => closing.abort() }

  async function watch(area: Area): Promise<AreaWatch> {
    const cells = (await db.query(sql.type(CellRow)`SELECT around.cell FROM unnest(${cellsAround(area)}) around (cell)`)).map(
      ({ cell }) => cell,
    )
    let news: News[] = ['unread']
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
      for (const cell of cells) {
        const others = wakers.get(cell)
        others?.delete(wake)
        if (others?.size === 0) wakers.delete(cell)
      }
    }
    closing.signal.addEventListener('abort', end)
    for (const cell of cells) wakers.set(cell, (wakers.get(cell) ?? new Set()).add(wake))
    // A change that the first read after this does not see is found by a later poll.
    polling ??= poll()
    await polling.catch((error: unknown) => {
      end()
      throw error
    })
    return {
      cells,
      end,
      hasEnded: () => hasEnded,
      async next(waitMax_ms) {
        if (news.length === 0 && !hasEnded) {
          await new Promise<void>((done) => {
            const timer = setTimeout(done, waitMax_ms)
            resolve = () => {
              clearTimeout(timer)
              done()
            }
          })
        }
        return hasEnded ? undefined : news.shift()
      },
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
    while (wakers.size > 0 && !closing.signal.aborted) {
      await pause(POLL_MS, undefined, { ref: false })
      try {
        const found = await readNext(last)
        const issues = await listPolledIssues(db, found).catch(warn)
        const woken = new Set([...(found.changes ?? wakers).keys()].flatMap((cell) => [...(wakers.get(cell) ?? [])]))
        for (const wake of woken) wake({ poll: found, issues })
      } catch (error) {
        warn(error)
        await pause(RETRY_MS, undefined, { ref: false })
      }
    }
    polling = undefined
  }

  /** A client that begins to wait is in the next poll, or reads until this one. */
  async function readNext(before: Poll | undefined): Promise<Poll> {
    last = await readPoll(db, before, (cell) => wakers.has(cell))
    return last
  }

  function warn(error: unknown): undefined {
    log.warn({ err: error }, 'the log of changes could not be read')
  }
}

const CellRow = Type.Object({ cell: Id })
