import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

import { isOutdated } from './prepared.ts'
import { Behind, hasReplayed, readReplayed } from './replayed.ts'
import { isUnreachable } from './unreachable.ts'
import { type WalPosition, walPosition } from './wal-position.ts'

/**
 * One that cannot be reached is left alone for a while, since to find that out may take as long as a connection may; for twice as long each
 * time that it is still so.
 */
const PAUSE_MS = { first: 10_000, most: 60_000 }
/** Also on a connection that is still open, but silent. */
const PROBE = { text: 'SELECT 1', query_timeout: 2_000 }

interface Away {
  pauseMs: number
  /** When to see whether it is back, in milliseconds: never while somebody does, 0 once it was. */
  until: number
}

/** What the reads of one answer have in common. */
interface Answer {
  /** `primary` where nothing else will do, else how far a replica must have replayed the log; undefined where it may be anywhere. */
  readonly needs: 'primary' | WalPosition | undefined
  /** Which server they all go to, once the first of them was asked. */
  server?: Promise<Pool>
}

const answers = new AsyncLocalStorage<Answer>()

/**
 * All reads of `work` are of one replica, so that the count and the page of one answer cannot be of two that are at different
 * moments; after a fault of that one, of the primary.
 * @param notBefore a pg_lsn: only of one that has replayed the log up to there, else of the primary
 */
export function onOneReplica<Result>(work: () => Result, notBefore?: string | null): Result {
  return answers.run({ needs: typeof notBefore === 'string' ? walPosition(notBefore) : undefined }, work)
}

/** All reads of `work` are of the primary: what it changes must not be judged by what was. */
export function onPrimary<Result>(work: () => Result): Result {
  return answers.run({ needs: 'primary' }, work)
}

/**
 * Replicas take reads in turn; what one of them cannot answer, the primary does, and what none of them has replayed yet. Outside of
 * `onOneReplica` every read has a turn. Whether one that was away is back is found out beside the reads, so that none of them waits for it.
 * @param onFault told of what a replica could not do
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
  /** Those that are there, each of them first in its turn. */
  function* inTurn() {
    const first = turn
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[(first + tried) % replicas.length]
      if (!replica) return
      // Others may have gone on meanwhile.
      turn = Math.max(turn, first + tried + 1)
      const state = away.get(replica)
      if (isThere(replica)) yield replica
      else if (state && state.until <= Date.now()) void seeWhetherBack(replica, state)
    }
  }
  const noteFault = (server: Pool, error: unknown) => {
    // Those who asked at the same time find out the same.
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

/** Its address is wrong: a login or a database that it does not know. */
const isRefused = (error: unknown) => /^(28|3D)/.test(codeOf(error))

/** What a standby meets and its primary does not: conflicts with recovery, tables and columns that are still on their way to it. */
const isBehind = (error: unknown) => /^(40001|40P01|42P01|42703|42883)$/.test(codeOf(error))

const isOfReplica = (error: unknown) => isUnreachable(error) || isRefused(error) || isBehind(error) || isOutdated(error)
