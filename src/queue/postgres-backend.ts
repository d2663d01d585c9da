import {
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type BackendFactory,
  type PgQueryResult,
  type PostgresConnectionOptions,
} from 'bullmq'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

import { isUnreachable } from '../database/unreachable.ts'
import { selectWorkers } from './worker-queries.ts'

const CONNECT_MAX_MS = 5_000
const STATEMENT_MAX_MS = 30_000
const WAIT_MAX_S = 10
const PAUSE_MS = 1_000

/** Opens a separate pool, because BullMQ finds its tables by the search path of the connection. */
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

/** Creates BullMQ's tables in a schema of their own. A lock serializes processes that start at the same time. */
export async function preparePostgres(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await runMigrations(client)
  } finally {
    client.release(true)
  }
}

/**
 * BullMQ's PostgreSQL backend with tolerance for restarts of the server. BullMQ only treats a refused connection as lost; after
 * other errors its worker retries at once, hundreds of times per second. All backends of a process share one listening
 * connection, because notifications carry the queue's name, so no backend closes it.
 */
class ResilientBackend extends PostgresQueueBackend {
  /**
   * Limit in seconds. The due time of a scheduled job is not announced, so a worker that failed to read it, for example after a
   * restart of the server, would sleep for BullMQ's default of an hour.
   */
  override get maximumBlockTimeout(): number {
    return WAIT_MAX_S
  }

  override close(): Promise<void> {
    return Promise.resolve()
  }

  override disconnect(): Promise<void> {
    return this.disconnectBlocking()
  }

  /** Returns clients in the format of Redis. BullMQ would count listening connections, and all queues share one here. */
  override async getClientList(): Promise<string[]> {
    const { text, values } = selectWorkers(this.queueName)
    const { rows } = await this.connection.pool.query<ListedClient>(text, values)
    const name = this.queueName
    return [
      rows.map(({ id, host, process_id, age_s }) => `id=${id} name=${name} addr=${host}:${process_id} age=${age_s}`).join('\n'),
    ]
  }

  override moveToActive(
    ...given: Parameters<PostgresQueueBackend['moveToActive']>
  ): ReturnType<PostgresQueueBackend['moveToActive']> {
    return pauseIfUnreachable(super.moveToActive(...given))
  }

  override waitForJob(...given: Parameters<PostgresQueueBackend['waitForJob']>): ReturnType<PostgresQueueBackend['waitForJob']> {
    return pauseIfUnreachable(super.waitForJob(...given))
  }
}

interface ListedClient {
  readonly id: string
  readonly host: string
  readonly process_id: number
  readonly age_s: number
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
    const known = this.#shared.get(client)
    if (known) return known
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = <Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> => {
      const answer = last.then(() => client.query<Row>(text, params))
      last = answer.catch(() => undefined)
      return answer
    }
    const shared = new Proxy(client, { get: (of, name) => (name === 'query' ? inTurn : bindMethod(of, name)) })
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
