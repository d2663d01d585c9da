import {
  createRedisBackend,
  type BackendFactory,
  type ConnectionOptions,
  type IQueueBackend,
  type PgPool,
  type PostgresConnectionOptions,
} from 'bullmq'
import { Redis } from 'ioredis'

import type { EmbeddedDatabase } from '../database/embedded.ts'
import { EmbeddedPool, prepareEmbedded } from './embedded-pool.ts'
import { openQueuePool, preparePostgres, createSharedBackend } from './postgres-backend.ts'

/** The queue is in Redis, in a PostgreSQL server (in a schema beside the project's tables), or in the embedded database. */
export type QueueOptions =
  | {
      readonly redisUrl: string
      readonly prefix?: string
    }
  | { readonly databaseUrl: string }
  | { readonly database: EmbeddedDatabase }

/** If the queue is down, a producer fails at once because a request waits for it, and a worker waits. */
export type Role = 'producer' | 'worker'

export type Connection = ConnectionOptions | PostgresConnectionOptions
export type Factory = BackendFactory<IQueueBackend, Connection>

export interface Backend {
  readonly factory: Factory
  readonly options: { readonly connection: Connection; readonly prefix?: string }
  /** Whether the connection is up as far as known, without sending a command. */
  isUp(): boolean
  ping(): Promise<unknown>
  /** Closes the connections. Close all queues and workers first. */
  close(): Promise<void>
}

const COMMAND_MAX_MS = 5_000
/**
 * Connections of one process to a PostgreSQL server, shared by all queues. One connection of a worker listens; the others fetch
 * jobs, record results and renew leases.
 */
export const CONNECTIONS = { producer: 2, worker: 4 }

/**
 * Connects to the queue and creates its tables if they are missing. A worker waits for Redis.
 * @throws Error of the database if it is unreachable
 */
export async function openBackend(options: QueueOptions, role: Role, onError: (error: Error) => void): Promise<Backend> {
  if ('redisUrl' in options) return openRedis(options, role, onError)
  if ('databaseUrl' in options) {
    const pool = openQueuePool(options.databaseUrl, CONNECTIONS[role])
    pool.on('error', onError)
    await preparePostgres(pool).catch(async (error: unknown) => {
      await pool.end()
      throw error
    })
    return overPool(pool as unknown as PgPool)
  }
  await prepareEmbedded(options.database.pglite)
  return overPool(new EmbeddedPool(options.database.pglite))
}

function overPool(pool: PgPool): Backend {
  const { factory, close } = createSharedBackend(pool)
  return {
    factory: factory as Factory,
    options: { connection: pool },
    isUp: () => true,
    ping: () => pool.query('SELECT 1'),
    close: () => close().then(() => pool.end()),
  }
}

/** Opens one connection for the commands of all queues. Each worker has another one that blocks. */
function openRedis(
  { redisUrl, prefix }: { redisUrl: string; prefix?: string },
  role: Role,
  onError: (error: Error) => void,
): Backend {
  const client = new Redis(
    redisUrl,
    role === 'worker'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: COMMAND_MAX_MS, connectTimeout: COMMAND_MAX_MS },
  )
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
