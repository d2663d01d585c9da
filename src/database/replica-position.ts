import type { Pool, PoolClient } from 'pg'

import { type WalPosition, parseWalPosition } from './wal-position.ts'

/**
 * The timeout is short because the query is trivial: a slower replica counts as unreachable. A promoted or recovered server still
 * reports a replayed position, so the query checks for recovery.
 */
const REPLAYED_LSN = {
  text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS lsn',
  query_timeout: 1_000,
}

/** A replica has not replayed the required WAL position. */
export class ReplicaBehind extends Error {
  override name = 'Behind'
}

/**
 * The latest known position of each connection saves queries for older ones. It ends with the connection, because a restarted or
 * replaced server may be further behind.
 */
const replayedByClient = new WeakMap<PoolClient, WalPosition>()

/** Returns whether a replica has replayed the WAL up to the position. */
export async function hasReplayed(replica: Pool, position: WalPosition): Promise<boolean> {
  return withClient(replica, (client) => clientHasReplayed(client, position))
}

/**
 * Runs `work` on a connection to a replica that has replayed the WAL up to the position.
 * @throws Behind if it has not
 */
export function readAfterReplay<Result>(
  replica: Pool,
  position: WalPosition,
  read: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(replica, async (client) => {
    if (!(await clientHasReplayed(client, position))) throw new ReplicaBehind('a replica was behind what it had shown')
    return read(client)
  })
}

/** Returns the replayed WAL position of a server; undefined if it is no standby. */
export async function replayedPosition(server: Pool | PoolClient): Promise<WalPosition | undefined> {
  const lsn = (await server.query<{ lsn: string | null }>(REPLAYED_LSN)).rows[0]?.lsn
  return typeof lsn === 'string' ? parseWalPosition(lsn) : undefined
}

/** Returns the written WAL position of a primary. */
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

/** A connection is closed after an error, as a pool does after single statements. */
async function withClient<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  // A broken connection emits an error event besides rejecting its statements; without a listener the process would end.
  const ignoreError = () => undefined
  client.on('error', ignoreError)
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(!(error instanceof ReplicaBehind))
    throw error
  } finally {
    client.off('error', ignoreError)
  }
}
