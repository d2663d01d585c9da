import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

import { isUnreachable } from './connection-errors.ts'
import { isOutdatedPlan } from './database.ts'

/** Position in the write-ahead log (WAL) in bytes. */
type WalPosition = bigint

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/** Texts of pg_lsn do not sort: `9/0` is less than `10/0`. @throws Error for an invalid text */
export function parseWalPosition(lsn: string): WalPosition {
  const [, upper, lower] = LSN.exec(lsn) ?? []
  if (upper === undefined || lower === undefined) throw new Error(`${lsn} is not a pg_lsn`)
  return (BigInt(`0x${upper}`) << 32n) | BigInt(`0x${lower}`)
}

/**
 * The query is trivial, so a slower replica counts as unreachable. A promoted server still reports a replayed position, so the
 * query checks for recovery.
 */
const REPLAYED_LSN = {
  text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS lsn',
  query_timeout: 1_000,
}

class ReplicaBehind extends Error {
  override name = 'ReplicaBehind'
}

/** Cached positions save queries. They end with the connection, because a restarted server may be further behind. */
const replayedByClient = new WeakMap<PoolClient, WalPosition>()

async function hasReplayed(replica: Pool, position: WalPosition): Promise<boolean> {
  return withClient(replica, (client) => clientHasReplayed(client, position))
}

/** @throws ReplicaBehind if the replica has not replayed the WAL up to the position */
function readAfterReplay<Result>(
  replica: Pool,
  position: WalPosition,
  read: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(replica, async (client) => {
    if (!(await clientHasReplayed(client, position)))
      throw new ReplicaBehind('the replica has not replayed the required WAL position')
    return read(client)
  })
}

/** Returns undefined if the server is no standby. */
export async function replayedPosition(server: Pool | PoolClient): Promise<WalPosition | undefined> {
  const lsn = (await server.query<{ lsn: string | null }>(REPLAYED_LSN)).rows[0]?.lsn
  return typeof lsn === 'string' ? parseWalPosition(lsn) : undefined
}

/** The start of a server identifies it until it is started again. */
const IDENTITY = {
  text: 'SELECT NOT pg_is_in_recovery() AS is_primary, concat(pg_postmaster_start_time(), current_database()) AS identity',
  query_timeout: 2_000,
}

/** Returns whether an address of a replica leads to the primary, as after a failover. */
export async function isSameServer(primary: Pool, replica: Pool): Promise<boolean> {
  const read = async (server: Pool) => (await server.query<{ is_primary: boolean; identity: string }>(IDENTITY)).rows[0]
  const found = await read(replica)
  return found?.is_primary === true && found.identity === (await read(primary))?.identity
}

export async function writtenPosition(primary: Pool): Promise<WalPosition> {
  const { rows } = await primary.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
  return parseWalPosition(rows[0]?.lsn ?? '')
}

async function clientHasReplayed(client: PoolClient, position: WalPosition): Promise<boolean> {
  const before = replayedByClient.get(client)
  if (before !== undefined && before >= position) return true
  const now = await replayedPosition(client)
  if (now === undefined) return false
  replayedByClient.set(client, now)
  return now >= position
}

/** Pools close a connection after an error of a single statement too. */
async function withClient<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(!(error instanceof ReplicaBehind))
    throw error
  }
}

/** An attempt may take the whole connection timeout, so an unreachable replica is excluded for a pause that doubles. */
const PAUSE_MS = { first: 10_000, max: 60_000 }
const ROLE_EVERY_MS = 10_000

interface ExcludedReplica {
  pauseMs: number
  /** Milliseconds: Infinity during a probe, 0 after a successful one. */
  probeAt: number
  readonly isPrimary: boolean
}

interface RequestReads {
  /** The primary, or a replica that has replayed a WAL position. If it is undefined, any replica may serve the reads. */
  readonly requirement: 'primary' | WalPosition | undefined
  server?: Promise<Pool>
}

const requestReads = new AsyncLocalStorage<RequestReads>()

/**
 * Keeps all reads of a response on one replica, because another one may have replayed less. The primary takes over after a failure.
 * @param minPosition a pg_lsn that the replica must have replayed; the primary is used if none has
 */
export function readFromOneServer<Result>(work: () => Result, minPosition?: string | null): Result {
  return requestReads.run({ requirement: typeof minPosition === 'string' ? parseWalPosition(minPosition) : undefined }, work)
}

/** Changes are decided on current data, so all reads of `work` use the primary. */
export function readFromPrimary<Result>(work: () => Result): Result {
  return requestReads.run({ requirement: 'primary' }, work)
}

/**
 * Distributes reads over the replicas in turn. The primary takes reads that fail, and those whose position no replica has replayed. Reads outside of
 * `readFromOneServer` each take a turn. Probes run in the background, so that no read waits for them.
 * @param isPrimary asks whether a replica is the primary since a failover: it serves no reads then
 */
export function balanceReads(
  replicas: readonly Pool[],
  primaryReadPool: Pool,
  isPrimary: (server: Pool) => Promise<boolean>,
  onError?: (error: Error) => void,
) {
  const excluded = new Map<Pool, ExcludedReplica>()
  const roleReadAt = new Map<Pool, number>()
  let turn = 0

  const exclude = (server: Pool, isPrimary = false) => {
    const before = isPrimary ? undefined : excluded.get(server)?.pauseMs
    const pauseMs = before === undefined ? PAUSE_MS.first : Math.min(2 * before, PAUSE_MS.max)
    excluded.set(server, { pauseMs, probeAt: Date.now() + pauseMs, isPrimary })
  }
  const probe = async (server: Pool, state?: ExcludedReplica) => {
    roleReadAt.set(server, Date.now())
    if (state) state.probeAt = Infinity
    try {
      if (await isPrimary(server)) exclude(server, true)
      else if (state) state.probeAt = 0
    } catch (error) {
      if (!state) return
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
    // Concurrent reads fail together; only the first pauses the server.
    if ((isUnreachable(error) || isLoginRefused(error)) && isAvailable(server)) exclude(server)
    onError?.(error as Error)
  }
  const chooseServer = async (requirement: RequestReads['requirement']): Promise<Pool> => {
    if (requirement === 'primary') return primaryReadPool
    for (const replica of availableReplicas()) {
      if (requirement === undefined) return replica
      try {
        if (await hasReplayed(replica, requirement)) return replica
      } catch (error) {
        reportFailure(replica, error)
      }
    }
    return primaryReadPool
  }

  const balancedRead = async <Result>(read: (server: Pool | PoolClient) => Promise<Result>): Promise<Result> => {
    const reads: RequestReads = requestReads.getStore() ?? { requirement: undefined }
    const server = await (reads.server ??= chooseServer(reads.requirement))
    if (server === primaryReadPool) return read(primaryReadPool)
    try {
      const result = await (typeof reads.requirement === 'bigint' ? readAfterReplay(server, reads.requirement, read) : read(server))
      if (isAvailable(server)) excluded.delete(server)
      if ((roleReadAt.get(server) ?? 0) + ROLE_EVERY_MS < Date.now()) void probe(server)
      return result
    } catch (error) {
      if (!(error instanceof ReplicaBehind) && !isReplicaError(error)) throw error
      reportFailure(server, error)
      reads.server = Promise.resolve(primaryReadPool)
      return read(primaryReadPool)
    }
  }
  const isUp = (server: Pool) => isAvailable(server) || excluded.get(server)?.isPrimary === true
  return Object.assign(balancedRead, { isUp })
}

const errorCode = (error: unknown) => (error as { code?: string }).code ?? ''

/** SQLSTATE class 28 is a wrong login, 3D an unknown database. */
const isLoginRefused = (error: unknown) => /^(28|3D)/.test(errorCode(error))

/** A standby has recovery conflicts, and lacks tables or columns that it has not replayed yet. */
const isReplicaLagError = (error: unknown) => /^(40001|40P01|42P01|42703|42883)$/.test(errorCode(error))

const isReplicaError = (error: unknown) =>
  isUnreachable(error) || isLoginRefused(error) || isReplicaLagError(error) || isOutdatedPlan(error)
