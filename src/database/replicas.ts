import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

import { isOutdatedPlan } from './prepared.ts'
import { ReplicaBehind, hasReplayed, readAfterReplay } from './replica-position.ts'
import { isUnreachable } from './unreachable.ts'
import { type WalPosition, parseWalPosition } from './wal-position.ts'

/**
 * An unreachable replica is excluded for a while, because each attempt may take the whole connection timeout. The pause doubles
 * after each failure.
 */
const PAUSE_MS = { first: 10_000, max: 60_000 }
/** The timeout also covers open connections that no longer respond. */
const PROBE = { text: 'SELECT 1', query_timeout: 2_000 }

interface ExcludedReplica {
  pauseMs: number
  /** The time of the next probe in milliseconds: Infinity during a probe, 0 after a successful one. */
  probeAt: number
}

/** The state that all reads of one request share. */
interface RequestReads {
  /** `primary`, the WAL position that a replica must have replayed, or undefined for any replica. */
  readonly required: 'primary' | WalPosition | undefined
  /** The server of all reads, chosen by the first one. */
  server?: Promise<Pool>
}

const requestReads = new AsyncLocalStorage<RequestReads>()

/**
 * Runs `work` with all reads on one replica, so that the count and the page of one response do not come from different snapshots.
 * The primary takes over after a failure.
 * @param notBefore a pg_lsn that the replica must have replayed; the primary is used if none has
 */
export function onOneReplica<Result>(work: () => Result, notBefore?: string | null): Result {
  return requestReads.run({ required: typeof notBefore === 'string' ? parseWalPosition(notBefore) : undefined }, work)
}

/** Runs `work` with all reads on the primary, so that changes are decided on current data. */
export function onPrimary<Result>(work: () => Result): Result {
  return requestReads.run({ required: 'primary' }, work)
}

/**
 * Distributes reads over the replicas in turn. The primary takes reads that fail on a replica or that no replica has replayed.
 * Reads outside of `onOneReplica` each take a turn. Probes of excluded replicas run in the background, so that no read waits for
 * them.
 * @param onError receives the errors of replicas
 */
export function balanceReads(replicas: readonly Pool[], primary: Pool, onError?: (error: Error) => void) {
  const excluded = new Map<Pool, ExcludedReplica>()
  let turn = 0

  const exclude = (server: Pool) => {
    const before = excluded.get(server)?.pauseMs
    const pauseMs = before === undefined ? PAUSE_MS.first : Math.min(2 * before, PAUSE_MS.max)
    excluded.set(server, { pauseMs, probeAt: Date.now() + pauseMs })
  }
  const probe = async (server: Pool, state: ExcludedReplica) => {
    state.probeAt = Infinity
    try {
      await server.query(PROBE)
      state.probeAt = 0
    } catch (error) {
      exclude(server)
      onError?.(error as Error)
    }
  }
  const isAvailable = (server: Pool) => (excluded.get(server)?.probeAt ?? 0) === 0
  function* availableReplicas() {
    const first = turn
    for (let offset = 0; offset < replicas.length; offset++) {
      const replica = replicas[(first + offset) % replicas.length]
      if (!replica) return
      // Concurrent reads may have advanced the turn.
      turn = Math.max(turn, first + offset + 1)
      const state = excluded.get(replica)
      if (isAvailable(replica)) yield replica
      else if (state && state.probeAt <= Date.now()) void probe(replica, state)
    }
  }
  const reportFailure = (server: Pool, error: unknown) => {
    // Concurrent reads fail together, and only the first one pauses the server.
    if ((isUnreachable(error) || isLoginRefused(error)) && isAvailable(server)) exclude(server)
    onError?.(error as Error)
  }
  const chooseServer = async (needs: RequestReads['required']): Promise<Pool> => {
    if (needs === 'primary') return primary
    for (const replica of availableReplicas()) {
      if (needs === undefined) return replica
      try {
        if (await hasReplayed(replica, needs)) return replica
      } catch (error) {
        reportFailure(replica, error)
      }
    }
    return primary
  }

  const balancedRead = async <Result>(read: (server: Pool | PoolClient) => Promise<Result>): Promise<Result> => {
    const reads: RequestReads = requestReads.getStore() ?? { required: undefined }
    const server = await (reads.server ??= chooseServer(reads.required))
    if (server === primary) return read(primary)
    try {
      const result = await (typeof reads.required === 'bigint' ? readAfterReplay(server, reads.required, read) : read(server))
      if (isAvailable(server)) excluded.delete(server)
      return result
    } catch (error) {
      if (!(error instanceof ReplicaBehind) && !isReplicaError(error)) throw error
      reportFailure(server, error)
      reads.server = Promise.resolve(primary)
      return read(primary)
    }
  }
  return Object.assign(balancedRead, { isAvailable })
}

const errorCode = (error: unknown) => (error as { code?: string }).code ?? ''

/** SQLSTATE class 28 is a wrong login, 3D an unknown database. */
const isLoginRefused = (error: unknown) => /^(28|3D)/.test(errorCode(error))

/** A standby fails with recovery conflicts and with tables or columns that it has not replayed yet. */
const isReplicaLagError = (error: unknown) => /^(40001|40P01|42P01|42703|42883)$/.test(errorCode(error))

const isReplicaError = (error: unknown) =>
  isUnreachable(error) || isLoginRefused(error) || isReplicaLagError(error) || isOutdatedPlan(error)
