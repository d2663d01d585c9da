import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'

import { isUnreachable } from './unreachable.ts'

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

/** Which server the reads of one answer go to, once the first of them was asked. */
const answers = new AsyncLocalStorage<{ server?: Pool }>()

/**
 * All reads of `work` are of one replica, so that the count and the page of one answer cannot be of two that are at different
 * moments; after a fault of that one, of the primary.
 */
export function onOneReplica<Result>(work: () => Result): Result {
  return answers.run({}, work)
}

/**
 * Replicas take reads in turn; what one of them cannot answer, the primary does. Outside of `onOneReplica` every read has a turn. Whether one
 * that was away is back is found out beside the reads, so that none of them waits for it.
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
  const next = () => {
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[turn++ % replicas.length]
      if (!replica) break
      if (isThere(replica)) return replica
      const state = away.get(replica)
      if (state && state.until <= Date.now()) void seeWhetherBack(replica, state)
    }
    return primary
  }

  const reading = async <Result>(read: (server: Pool) => Promise<Result>): Promise<Result> => {
    const answer = answers.getStore() ?? {}
    const server = (answer.server ??= next())
    if (server === primary) return read(primary)
    try {
      const result = await read(server)
      if (isThere(server)) away.delete(server)
      return result
    } catch (error) {
      if (!isOfReplica(error)) throw error
      // Those who asked at the same time find out the same.
      if ((isUnreachable(error) || isRefused(error)) && isThere(server)) pause(server)
      answer.server = primary
      onFault?.(error as Error)
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

const isOfReplica = (error: unknown) => isUnreachable(error) || isRefused(error) || isBehind(error)
