import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'

import { Count, Id, leftJoin, type Queryable, sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'

/** A waiting client learns of a commit within this time, unless an older transaction is still writing. */
const POLL_MS = 250
/** The pause after an error, such as a database that restarts. */
const RETRY_MS = 2_000

export interface AreaWatch {
  /** Returns whether something has changed around the area since the last call. Waits for it until the time is over or the watch ends. */
  next(waitMax_ms: number): Promise<boolean>
  end(): void
  hasEnded(): boolean
}

export interface ChangeWatch {
  watch(area: Area): Promise<AreaWatch>
  /** Ends all watches; later ones have ended when they begin. */
  close(): void
}

/**
 * Tells clients that wait for changes when something may have changed around their areas. One statement polls the log for all clients of the process.
 * A client is found by the few cells around its area, so that a change costs what it touches, however many clients wait.
 * @param db the primary server: a replica could be behind the one that has the change
 */
export function createChangeWatch(db: Queryable, log: Pick<FastifyBaseLogger, 'warn'>): ChangeWatch {
  const wakers = new Map<Cell, Set<() => void>>()
  const closing = new AbortController()
  /** The first poll of the loop that runs; undefined while no client waits. */
  let polling: Promise<void> | undefined

  return { watch, close: () => closing.abort() }

  async function watch(area: Area): Promise<AreaWatch> {
    const cells = (await db.query(sql.type(CellRow)`SELECT around.cell FROM unnest(${cellsAround(area)}) around (cell)`)).map(
      ({ cell }) => cell,
    )
    let isChanged = true
    let hasEnded = closing.signal.aborted
    let resolve: (() => void) | undefined
    const wake = () => {
      isChanged = true
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
      end,
      hasEnded: () => hasEnded,
      async next(waitMax_ms) {
        if (!isChanged && !hasEnded) {
          await new Promise<void>((done) => {
            const timer = setTimeout(done, waitMax_ms)
            resolve = () => {
              clearTimeout(timer)
              done()
            }
          })
        }
        const hasChanged = isChanged && !hasEnded
        isChanged = false
        return hasChanged
      },
    }
  }

  /** Starts to poll while clients wait, and returns after the first poll. */
  async function poll(): Promise<void> {
    const { xid } = await findChangedCells(db, undefined).catch((error: unknown) => {
      polling = undefined
      throw error
    })
    void pollFrom(xid)
  }

  async function pollFrom(start: number): Promise<void> {
    let position = start
    while (wakers.size > 0 && !closing.signal.aborted) {
      await pause(POLL_MS, undefined, { ref: false })
      try {
        const { xid, cells } = await findChangedCells(db, position)
        position = xid
        for (const cell of cells) wakeAround(cell)
      } catch (error) {
        log.warn({ err: error }, 'the log of changes could not be read')
        await pause(RETRY_MS, undefined, { ref: false })
      }
    }
    polling = undefined
  }

  /** The parent of a cell is a fourth of its number. */
  function wakeAround(changed: Cell): void {
    for (let cell = changed; cell >= 1; cell = Math.floor(cell / 4)) wakers.get(cell)?.forEach((wake) => wake())
  }
}

const CellRow = Type.Object({ cell: Id })
const PolledRow = leftJoin(Type.Object({ xid: Count }), CellRow)

/** Returns the cells of changes since a position, and the present position. All changes before it are visible. */
async function findChangedCells(db: Queryable, since: number | undefined) {
  const rows = await db.query(sql.type(PolledRow)`
    SELECT now.xid, changed.cell
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid) now
    LEFT JOIN LATERAL (
      SELECT DISTINCT c.cell FROM public_issue_changes c WHERE c.xid >= ${since ?? null}::bigint AND c.xid < now.xid) changed ON TRUE`)
  return { xid: rows[0]?.xid ?? 0, cells: rows.flatMap(({ cell }) => (cell === null ? [] : [cell])) }
}
