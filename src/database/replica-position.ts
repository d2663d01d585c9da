import type { Pool, PoolClient } from 'pg'

import { type WalPosition, parseWalPosition } from './wal-position.ts'

/**
 * The query is trivial, so a slower replica counts as unreachable. A promoted server still reports a replayed position, so the
 * query checks for recovery.
 */
const REPLAYED_LSN = {
  text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS lsn',
  query_timeout: 1_000,
}

export class ReplicaBehind extends Error {
  override name = 'ReplicaBehind'
}

/** Cached positions save queries. They end with the connection, because a restarted server may be further behind. */
const replayedByClient = new WeakMap<PoolClient, WalPosition>()

export async function hasReplayed(replica: Pool, position: WalPosition): Promise<boolean> {
  return withClient(replica, (client) => clientHasReplayed(client, position))
}

/** @throws ReplicaBehind if the replica has not replayed the WAL up to the position */
export function readAfterReplay<Result>(
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
