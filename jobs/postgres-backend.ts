import {
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type BackendFactory,
  type PostgresConnectionOptions,
} from 'bullmq'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

import { isUnreachable } from '../src/database/unreachable.ts'

const CONNECT_MAX_MS = 5_000
const STATEMENT_MAX_MS = 30_000
const WAIT_MAX_S = 10
const PAUSE_MS = 1_000

/** Connections of their own, because BullMQ finds its tables by the search path of a connection. */
export function openQueuePool(connectionString: string, max: number): pg.Pool {
  return new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: CONNECT_MAX_MS,
    keepAlive: true,
    options: `-c search_path=bullmq -c statement_timeout=${STATEMENT_MAX_MS}`,
    application_name: 'fixpoint queue',
  })
}

/** Puts BullMQ's tables into the database, in a schema of their own. Processes that start at once wait for each other. */
export async function preparePostgres(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await runMigrations(client)
  } finally {
    client.release(true)
  }
}

/**
 * BullMQ's PostgreSQL backend for a server that may go away and come back. BullMQ takes only a refused connection for a lost
 * one; after any other fault of a server that stops or starts, its worker asks again at once, hundreds of times a second.
 */
class PatientBackend extends PostgresQueueBackend {
  /**
   * In seconds. The due time of a scheduled job is announced by nobody, and a worker that could not ask for it (the server had
   * just come back) would sleep for as long as it may: BullMQ says an hour.
   */
  override get maximumBlockTimeout(): number {
    return WAIT_MAX_S
  }

  override moveToActive(
    ...given: Parameters<PostgresQueueBackend['moveToActive']>
  ): ReturnType<PostgresQueueBackend['moveToActive']> {
    return orPause(super.moveToActive(...given))
  }

  override waitForJob(...given: Parameters<PostgresQueueBackend['waitForJob']>): ReturnType<PostgresQueueBackend['waitForJob']> {
    return orPause(super.waitForJob(...given))
  }
}

async function orPause<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isUnreachable(error)) await pause(PAUSE_MS)
    throw error
  }
}

/** A worker names the connection that it listens on by its queue, so that workers can be counted. */
export const patientBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, opts, role) =>
  new PatientBackend(new PostgresConnection(opts.connection), name, opts, true, role?.withBlockingConnection ? name : undefined)
