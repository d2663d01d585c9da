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
import { openQueuePool, preparePostgres, sharingBackend } from './postgres-backend.ts'

/** Where the queue is: in Redis, in a PostgreSQL server beside the tables of the project, or in the embedded database. */
export type QueueOptions =
  | {
      readonly redisUrl: string
      /** What all keys in Redis begin with. */
      readonly prefix?: string
    }
  | { readonly databaseUrl: string }
  | { readonly database: EmbeddedDatabase }

/** Who asks: a producer is told at once that the queue is away, because somebody waits for an answer; a worker waits for it. */
export type Role = 'producer' | 'worker'

export type Connection = ConnectionOptions | PostgresConnectionOptions
export type Factory = BackendFactory<IQueueBackend, Connection>

export interface Backend {
  readonly factory: Factory
  /** What the classes of BullMQ are opened with. */
  readonly options: { readonly connection: Connection; readonly prefix?: string }
  /** Whether a command can be sent now, as far as is known without sending one. */
  isUp(): boolean
  /** Resolves when the queue answers; one that is away is waited for by a worker. */
  ping(): Promise<unknown>
  /** Closes the connections; whatever uses them must have been closed before. */
  close(): Promise<void>
}

const COMMAND_MAX_MS = 5_000
/**
 * Of a process to a PostgreSQL server, for all queues together. One connection of a worker listens; the others take jobs, note what was
 * done and renew their leases.
 */
export const CONNECTIONS = { producer: 2, worker: 4 }

/**
 * Connects to the queue, and puts its tables into a database that lacks them.
 * @throws Error of the database where that cannot be reached; a Redis that cannot is waited for.
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
  const { factory, close } = sharingBackend(pool)
  return {
    factory: factory as Factory,
    options: { connection: pool },
    isUp: () => true,
    ping: () => pool.query('SELECT 1'),
    close: () => close().then(() => pool.end()),
  }
}

/** One connection for the commands of all queues; the worker of each has another, on which it waits. */
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
  // Without a listener an error of a lost connection would be printed by ioredis itself.
  client.on('error', onError)
  // Every queue and every worker listens to it.
  client.setMaxListeners(0)
  return {
    factory: createRedisBackend as Factory,
    options: { connection: client, prefix: prefix ?? 'fixpoint' },
    isUp: () => client.status === 'ready',
    ping: () => client.ping(),
    close: () => Promise.resolve(client.disconnect()),
  }
}
