import {
  createRedisBackend,
  type BackendFactory,
  type ConnectionOptions,
  type IQueueBackend,
  type PgPool,
  type PostgresConnectionOptions,
  type Telemetry,
} from 'bullmq'
import { Redis } from 'ioredis'

import type { EmbeddedDatabase } from '../database/embedded.ts'
import { sentinelOptions } from '../environment/redis-sentinels.ts'
import { EmbeddedPool, prepareEmbedded } from './embedded-pool.ts'
import type { JobLog } from './log.ts'
import { openQueuePool, preparePostgres, createSharedBackend } from './postgres-backend.ts'

interface RedisOptions {
  readonly redisUrl: string
  readonly redisSentinels?: readonly string[]
  readonly prefix?: string
}

/** The queue is in Redis, in a separate schema of a PostgreSQL server, or in the embedded database. */
export type QueueOptions = (RedisOptions | { readonly databaseUrl: string } | { readonly database: EmbeddedDatabase }) & {
  readonly telemetry?: { readonly telemetry: Telemetry } | undefined
}

/** If the queue is down, a producer fails at once, so that no request waits for the queue, and a worker waits. */
type Role = 'producer' | 'worker'

export type Connection = ConnectionOptions | PostgresConnectionOptions
type Factory = BackendFactory<IQueueBackend, Connection>

export interface Backend {
  readonly factory: Factory
  readonly options: { readonly connection: Connection; readonly prefix?: string; readonly telemetry?: Telemetry }
  /** Returns the last known state of the connection without sending a command. */
  isUp(): boolean
  ping(): Promise<unknown>
  close(): Promise<void>
}

const COMMAND_MAX_MS = 5_000
/** All queues of a process share these connections to PostgreSQL. One of a worker listens; the others serve its jobs. */
export const CONNECTIONS = { producer: 2, worker: 4 }

/** Creates missing tables. A worker waits for Redis. @throws Error of the database if it is unreachable */
export async function openBackend(options: QueueOptions, role: Role, onError: (error: Error) => void): Promise<Backend> {
  const backend = await openPlain(options, role, onError)
  return { ...backend, options: { ...backend.options, ...options.telemetry } }
}

async function openPlain(options: QueueOptions, role: Role, onError: (error: Error) => void): Promise<Backend> {
  if ('redisUrl' in options) return openRedis(options, role, onError)
  if ('databaseUrl' in options) {
    const pool = openQueuePool(options.databaseUrl, CONNECTIONS[role])
    pool.on('error', onError)
    await preparePostgres(pool).catch(async (error: unknown) => {
      await pool.end()
      throw error
    })
    return createPoolBackend(pool as unknown as PgPool)
  }
  await prepareEmbedded(options.database.pglite)
  return createPoolBackend(new EmbeddedPool(options.database.pglite))
}

function createPoolBackend(pool: PgPool): Backend {
  const { factory, close } = createSharedBackend(pool)
  return {
    factory: factory as Factory,
    options: { connection: pool },
    isUp: () => true,
    ping: () => pool.query('SELECT 1'),
    close: () => close().then(() => pool.end()),
  }
}

function openRedis({ redisUrl, redisSentinels = [], prefix }: RedisOptions, role: Role, onError: (error: Error) => void): Backend {
  const client = new Redis(redisUrl, {
    ...sentinelOptions(redisUrl, redisSentinels),
    ...(role === 'worker'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: COMMAND_MAX_MS, connectTimeout: COMMAND_MAX_MS }),
  })
  // Without a listener ioredis prints connection errors itself.
  client.on('error', onError)
  // Every queue and worker adds a listener to the shared connection.
  client.setMaxListeners(0)
  return {
    factory: createRedisBackend as Factory,
    options: { connection: client, prefix: prefix ?? 'fixpoint' },
    isUp: () => client.status === 'ready',
    ping: () => client.ping(),
    close: () => Promise.resolve(client.disconnect()),
  }
}

const REPEAT_AFTER_MS = 10_000

/** Returns a listener that logs connection errors without repetitions, because an outage breaks all connections. */
export function logConnectionErrors(log: JobLog): (error: Error) => void {
  let lastMessage = ''
  let loggedAt = 0
  return (error) => {
    if (error.message === lastMessage && Date.now() - loggedAt < REPEAT_AFTER_MS) return
    lastMessage = error.message
    loggedAt = Date.now()
    log.warn({ err: error }, 'error of the connection to the queue')
  }
}
