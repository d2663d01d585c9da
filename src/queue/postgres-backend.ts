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
import { clientsOf } from './worker-queries.ts'

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
 * All backends of a process share one connection that listens, since every notice names its queue, so none of them closes it.
 */
class PatientBackend extends PostgresQueueBackend {
  /**
   * In seconds. The due time of a scheduled job is announced by nobody, and a worker that could not ask for it (the server had
   * just come back) would sleep for as long as it may: BullMQ says an hour.
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

  /** In the form of Redis. BullMQ would count named connections that listen, of which ours is one for all queues. */
  override async getClientList(): Promise<string[]> {
    const { text, values } = clientsOf(this.queueName)
    const { rows } = await this.connection.pool.query<ListedClient>(text, values)
    const name = this.queueName
    return [
      rows.map(({ id, host, process_id, age_s }) => `id=${id} name=${name} addr=${host}:${process_id} age=${age_s}`).join('\n'),
    ]
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

interface ListedClient {
  readonly id: string
  readonly host: string
  readonly process_id: number
  readonly age_s: number
}

async function orPause<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isUnreachable(error)) await pause(PAUSE_MS)
    throw error
  }
}

type Listener = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** One connection that listens for many: they say so one after the other, since it takes one statement at a time. */
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
    const shared = new Proxy(client, { get: (of, name) => (name === 'query' ? inTurn : bound(of, name)) })
    this.#shared.set(client, shared)
    return shared
  }
}

/** What is asked of a proxy belongs to what stands behind it. */
function bound(of: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name)
  return typeof value === 'function' ? (value.bind(of) as unknown) : value
}

/** Backends of any number of queues over one pool, and what ends the connection on which they listen; the pool stays. */
export function sharingBackend(pool: PostgresConnectionOptions) {
  const connection = new SharedConnection(pool)
  connection.setMaxListeners(0)
  const factory: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, opts) =>
    new PatientBackend(connection, name, opts, true)
  return { factory, close: () => connection.close() }
}
