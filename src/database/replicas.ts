import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'

import { isUnreachable } from './unreachable.ts'

/** One that cannot be reached is left alone for a while: to find that out may take as long as a connection may. */
const AWAY_MS = 10_000

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
 * Replicas take reads in turn; what one of them cannot answer, the primary does. Outside of `onOneReplica` every read has a turn.
 * @param onFault told of what a replica could not do
 */
export function takeTurns(replicas: readonly Pool[], primary: Pool, onFault?: (error: Error) => void) {
  const awayUntil = new Map<Pool, number>()
  let turn = 0
  const next = () => {
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[turn++ % replicas.length]
      if (replica && (awayUntil.get(replica) ?? 0) <= Date.now()) return replica
    }
    return primary
  }
  return async <Result>(read: (server: Pool) => Promise<Result>): Promise<Result> => {
    const answer = answers.getStore() ?? {}
    const server = (answer.server ??= next())
    if (server === primary) return read(primary)
    try {
      return await read(server)
    } catch (error) {
      if (!isOfReplica(error)) throw error
      if (isUnreachable(error) || isRefused(error)) awayUntil.set(server, Date.now() + AWAY_MS)
      answer.server = primary
      onFault?.(error as Error)
      return read(primary)
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? ''

/** Its address is wrong: a login or a database that it does not know. */
const isRefused = (error: unknown) => /^(28|3D)/.test(codeOf(error))

/** What a standby meets and its primary does not: conflicts with recovery, tables and columns that are still on their way to it. */
const isBehind = (error: unknown) => /^(40001|40P01|42P01|42703|42883)$/.test(codeOf(error))

const isOfReplica = (error: unknown) => isUnreachable(error) || isRefused(error) || isBehind(error)
