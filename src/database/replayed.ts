import type { Pool, PoolClient } from 'pg'

import { type WalPosition, walPosition } from './wal-position.ts'

/**
 * The timeout is short because the query is trivial: a slower replica counts as unreachable. A promoted or recovered server still
 * reports a replayed position, so the query checks for recovery.
 */
const QUESTION = {
  text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS lsn',
  query_timeout: 1_000,
}

/** A replica has not replayed the required WAL position. */
export class Behind extends Error {
  override name = 'Behind'
}

/**
 * The latest known position of each connection saves queries for older ones. It ends with the connection, because a restarted or
 * replaced server may be further behind.
 */
const known = new WeakMap<PoolClient, WalPosition>()

/** Returns whether a replica has replayed the WAL up to the position. */
export async function hasReplayed(replica: Pool, position: WalPosition): Promise<boolean> {
  return withClient(replica, (client) => isThere(client, position))
}

/**
 * Runs `work` on a connection to a replica that has replayed the WAL up to the position.
 * @throws Behind if it has not
 */
export function readReplayed<Result>(
  replica: Pool,
  position: WalPosition,
  read: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(replica, async (client) => {
    if (!(await isThere(client, position))) throw new Behind('a replica was behind what it had shown')
    return read(client)
  })
}

/** Returns the replayed WAL position of a server; undefined if it is no standby. */
export async function replayedBy(server: Pool | PoolClient): Promise<WalPosition | undefined> {
  const lsn = (await server.query<{ lsn: string | null }>(QUESTION)).rows[0]?.lsn
  return typeof lsn === 'string' ? walPosition(lsn) : undefined
}

/** Returns the written WAL position of a primary. */
export async function writtenBy(primary: Pool): Promise<WalPosition> {
  const { rows } = await primary.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
  return walPosition(rows[0]?.lsn ?? '')
}

async function isThere(client: PoolClient, position: WalPosition): Promise<boolean> {
  const before = known.get(client)
  if (before !== undefined && before >= position) return true
  const now = await replayedBy(client)
  if (now === undefined) return false
  known.set(client, now)
  return now >= position
}

/** A connection is closed after an error, as a pool does after single statements. */
async function withClient<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  // A broken connection emits an error event besides rejecting its statements; without a listener the process would end.
  const heard = () => undefined
  client.on('error', heard)
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(!(error instanceof Behind))
    throw error
  } finally {
    client.off('error', heard)
  }
}
