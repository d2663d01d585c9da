import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

import { queueOptions, type QueueOptions } from '../../src/queue/queue.ts'
import type { Database } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { createTestDatabase, openTestDatabase } from '../helpers/database.ts'
import { openTestRedis } from '../helpers/servers/redis.ts'
import { testDatabaseUrl, testRedisUrl } from '../helpers/servers.ts'

export interface Place {
  readonly db: Database
  readonly options: QueueOptions
  close(): Promise<void>
}

async function inRedis(): Promise<Place> {
  const db = await openTestDatabase()
  const redisUrl = await openTestRedis()
  if (redisUrl === undefined) throw new Error('no Redis server is available')
  return { db, options: { redisUrl, prefix: `test-${randomBytes(4).toString('hex')}` }, close: () => db.close() }
}

async function inPostgres(serverUrl: string): Promise<Place> {
  const { url, drop } = await createTestDatabase(serverUrl, inject('template'))
  const db = openPostgres({ url, pools: { read: 5, write: 5 } })
  const options = queueOptions({ redisUrl: undefined, databaseUrl: url }, db)
  const close = async () => {
    try {
      await db.close()
    } finally {
      await drop()
    }
  }
  return { db, options, close }
}

async function inEmbedded(): Promise<Place> {
  const db = await openTestDatabase()
  return { db, options: queueOptions({ redisUrl: undefined, databaseUrl: undefined }, db), close: () => db.close() }
}

const database: [string, () => Promise<Place>] =
  testDatabaseUrl === undefined
    ? ['the embedded database', inEmbedded]
    : ['PostgreSQL', inPostgres.bind(undefined, testDatabaseUrl)]

/** The queue backends that this run of the suite has, each with the database of the jobs. */
export const places = [
  database,
  ...(testRedisUrl === undefined ? [] : [['Redis', inRedis] satisfies [string, () => Promise<Place>]]),
]
