import type { Pool, PoolClient } from 'pg'

import { type WalPosition, walPosition } from './wal-position.ts'

/**
 * A reader waits no longer for so small an answer: then the replica counts as one that hangs. Whoever recovered from a crash or was promoted still tells how
 * far it had replayed, and is no standby.
 */
const QUESTION = {
  text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS lsn',
  query_timeout: 1_000,
}

/** A replica that was asked for what it has not replayed yet. */
export class Behind extends Error {
  override name = 'Behind'
}

/**
 * How far each connection is known to have come, so that it is asked only for what is newer. That ends with the connection: a server
 * that was started anew may be behind what it showed before, and another one may have its address.
 */
const known = new WeakMap<PoolClient, WalPosition>()

/** Whether a replica has replayed the log up to there, as far as one of its connections knows. */
export async function hasReplayed(replica: Pool, position: WalPosition): Promise<boolean> {
  return withClient(replica, (client) => isThere(client, position))
}

/**
 * Reads on a connection to a replica that has replayed the log up to there.
 * @throws Behind where it has not
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

/** How far a server has replayed the log of its primary; undefined where it is no standby. */
export async function replayedBy(server: Pool | PoolClient): Promise<WalPosition | undefined> {
  const lsn = (await server.query<{ lsn: string | null }>(QUESTION)).rows[0]?.lsn
  return typeof lsn === 'string' ? walPosition(lsn) : undefined
}

/** How far a primary has written its log: what a standby could have. */
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

/** As a pool does for single statements, a connection that an error came from is closed. */
async function withClient<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  // A connection that breaks tells its statements, and beside that whoever listens; where nobody did, the process would end.
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
