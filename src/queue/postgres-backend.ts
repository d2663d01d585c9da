import {
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type BackendFactory,
  type PgQueryResult,
  type PostgresConnectionOptions,
} from 'bullmq'
import type { Pool } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

import { openPool } from '../database/open-pool.ts'
import { isUnreachable } from '../database/connection-errors.ts'

const CONNECT_MAX_MS = 5_000
const STATEMENT_MAX_MS = 30_000
const WAIT_MAX_S = 10
const PAUSE_MS = 1_000

/** Opens a separate pool, because BullMQ finds its tables by the search path of the connection. */
export function openQueuePool(url: string, max: number): Pool {
  return openPool(url, {
    max,
    connectionTimeoutMillis: CONNECT_MAX_MS,
    keepAlive: true,
    options: `-c search_path=bullmq -c statement_timeout=${STATEMENT_MAX_MS}`,
    application_name: 'fixpoint queue',
  })
}

export async function preparePostgres(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await runMigrations(client)
  } finally {
    client.release(true)
  }
}

/** BullMQ's worker retries connection errors hundreds of times per second. The listening connection is shared, so it stays open. */
class ResilientBackend extends PostgresQueueBackend {
  /** The due time of a scheduled job is not announced, and after a failed read BullMQ's worker would sleep for an hour. */
  override get maximumBlockTimeout(): number {
    return WAIT_MAX_S
  }

  override close(): Promise<void> {
    return Promise.resolve()
  }

  override disconnect(): Promise<void> {
    return this.disconnectBlocking()
  }

  override moveToActive(
    ...parameters: Parameters<PostgresQueueBackend['moveToActive']>
  ): ReturnType<PostgresQueueBackend['moveToActive']> {
    return pauseIfUnreachable(super.moveToActive(...parameters))
  }

  override waitForJob(
    ...parameters: Parameters<PostgresQueueBackend['waitForJob']>
  ): ReturnType<PostgresQueueBackend['waitForJob']> {
    return pauseIfUnreachable(super.waitForJob(...parameters))
  }
}

async function pauseIfUnreachable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isUnreachable(error)) await pause(PAUSE_MS)
    throw error
  }
}

type Listener = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** One listening connection for many backends. It serializes their statements, because a connection runs one at a time. */
class SharedConnection extends PostgresConnection {
  readonly #shared = new WeakMap<Listener, Listener>()

  override async getListenClient(): Promise<Listener> {
    const client = await super.getListenClient()
    const existing = this.#shared.get(client)
    if (existing) return existing
    let last: Promise<unknown> = Promise.resolve()
    const queryInOrder = <Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> => {
      const result = last.then(() => client.query<Row>(text, params))
      last = result.catch(() => undefined)
      return result
    }
    const shared = new Proxy(client, { get: (target, name) => (name === 'query' ? queryInOrder : bindMethod(target, name)) })
    this.#shared.set(client, shared)
    return shared
  }
}

function bindMethod(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? (value.bind(target) as unknown) : value
}

/** Returns a factory of backends over one pool, and a function that closes their listening connection but not the pool. */
export function createSharedBackend(pool: PostgresConnectionOptions) {
  const connection = new SharedConnection(pool)
  connection.setMaxListeners(0)
  const factory: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, opts) =>
    new ResilientBackend(connection, name, opts, true)
  return { factory, close: () => connection.close() }
}
