import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

import { isOutdated } from './prepared.ts'
import { Behind, hasReplayed, readReplayed } from './replayed.ts'
import { isUnreachable } from './unreachable.ts'
import { type WalPosition, walPosition } from './wal-position.ts'

/**
 * An unreachable replica is excluded for a while, because each attempt may take the whole connection timeout. The pause doubles
 * after each failure.
 */
const PAUSE_MS = { first: 10_000, most: 60_000 }
/** The timeout also covers open connections that no longer respond. */
const PROBE = { text: 'SELECT 1', query_timeout: 2_000 }

interface Away {
  pauseMs: number
  /** The time of the next probe in milliseconds: Infinity during a probe, 0 after a successful one. */
  until: number
}

/** The state that all reads of one request share. */
interface Answer {
  /** `primary`, the WAL position that a replica must have replayed, or undefined for any replica. */
  readonly needs: 'primary' | WalPosition | undefined
  /** The server of all reads, chosen by the first one. */
  server?: Promise<Pool>
}

const answers = new AsyncLocalStorage<Answer>()

/**
 * Runs `work` with all reads on one replica, so that the count and the page of one response do not come from different snapshots.
 * The primary takes over after a failure.
 * @param notBefore a pg_lsn that the replica must have replayed; the primary is used if none has
 */
export function onOneReplica<Result>(work: () => Result, notBefore?: string | null): Result {
  return answers.run({ needs: typeof notBefore === 'string' ? walPosition(notBefore) : undefined }, work)
}

/** Runs `work` with all reads on the primary, so that changes are decided on current data. */
export function onPrimary<Result>(work: () => Result): Result {
  return answers.run({ needs: 'primary' }, work)
}

/**
 * Distributes reads over the replicas in turn. The primary takes reads that fail on a replica or that no replica has replayed.
 * Reads outside of `onOneReplica` each take a turn. Probes of excluded replicas run in the background, so that no read waits for
 * them.
 * @param onFault receives the errors of replicas
 */
export function takeTurns(replicas: readonly Pool[], primary: Pool, onFault?: (error: Error) => void) {
  const away = new Map<Pool, Away>()
  let turn = 0

  const pause = (server: Pool) => {
    const before = away.get(server)?.pauseMs
    const pauseMs = before === undefined ? PAUSE_MS.first : Math.min(2 * before, PAUSE_MS.most)
    away.set(server, { pauseMs, until: Date.now() + pauseMs })
  }
  const seeWhetherBack = async (server: Pool, state: Away) => {
    state.until = Infinity
    try {
      await server.query(PROBE)
      state.until = 0
    } catch (error) {
      pause(server)
      onFault?.(error as Error)
    }
  }
  const isThere = (server: Pool) => (away.get(server)?.until ?? 0) === 0
  function* inTurn() {
    const first = turn
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[(first + tried) % replicas.length]
      if (!replica) return
      // Concurrent reads may have advanced the turn.
      turn = Math.max(turn, first + tried + 1)
      const state = away.get(replica)
      if (isThere(replica)) yield replica
      else if (state && state.until <= Date.now()) void seeWhetherBack(replica, state)
    }
  }
  const noteFault = (server: Pool, error: unknown) => {
    // Concurrent reads fail together, and only the first one pauses the server.
    if ((isUnreachable(error) || isRefused(error)) && isThere(server)) pause(server)
    onFault?.(error as Error)
  }
  const choose = async (needs: Answer['needs']): Promise<Pool> => {
    if (needs === 'primary') return primary
    for (const replica of inTurn()) {
      if (needs === undefined) return replica
      try {
        if (await hasReplayed(replica, needs)) return replica
      } catch (error) {
        noteFault(replica, error)
      }
    }
    return primary
  }

  const reading = async <Result>(read: (server: Pool | PoolClient) => Promise<Result>): Promise<Result> => {
    const answer: Answer = answers.getStore() ?? { needs: undefined }
    const server = await (answer.server ??= choose(answer.needs))
    if (server === primary) return read(primary)
    try {
      const result = await (typeof answer.needs === 'bigint' ? readReplayed(server, answer.needs, read) : read(server))
      if (isThere(server)) away.delete(server)
      return result
    } catch (error) {
      if (!(error instanceof Behind) && !isOfReplica(error)) throw error
      noteFault(server, error)
      answer.server = Promise.resolve(primary)
      return read(primary)
    }
  }
  return Object.assign(reading, { isThere })
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? ''

/** SQLSTATE class 28 is a wrong login, 3D an unknown database. */
const isRefused = (error: unknown) => /^(28|3D)/.test(codeOf(error))

/** A standby fails with recovery conflicts and with tables or columns that it has not replayed yet. */
const isBehind = (error: unknown) => /^(40001|40P01|42P01|42703|42883)$/.test(codeOf(error))

const isOfReplica = (error: unknown) => isUnreachable(error) || isRefused(error) || isBehind(error) || isOutdated(error)
