import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'

import { type BulkSession, type Database, type Sql, sql } from './database.ts'
import { assertOutsideTransaction, insideTransaction } from './one-at-a-time.ts'
import { isOutdated, nameOfPrepared } from './prepared.ts'
import { takeTurns } from './replicas.ts'
import { replayedBy, writtenBy } from './replayed.ts'
import { rowParsers } from './row-values.ts'
import { type CheckRows, typedQuery } from './rows.ts'
import { openPrisma, prismaTransaction } from './with-prisma.ts'

export interface PostgresOptions {
  readonly url: string
  readonly replicaUrls?: readonly string[]
  /** Connections of this process to each server, for reads and for all else each. */
  readonly poolMax?: number
  readonly connectMaxMs?: number
  readonly readMaxMs?: number
  /** Told of connections that broke while idle, which the pool replaces by itself, and of what a replica could not answer. */
  readonly onConnectionLost?: (error: Error) => void
  readonly checkRows?: CheckRows
}

const CONNECT_MAX_MS = 5_000
/** No answer of the web waits longer; loading and migrating lift it for their own transactions. */
const STATEMENT_MAX_MS = 15_000
/** How long a server that is past its own limit may be silent. */
const SILENCE_MAX_MS = 1_000
const PING_MAX_MS = 2_000
/** Six times the slowest p99 that is measured of any list (docs/PERFORMANCE.md): what takes longer holds up everybody else's. */
const READ_MAX_MS = 5_000
/** Where rows with a common word are is a map of half the table: with the default of 4 MB it has no room, and all rows of its pages are compared. */
const FOR_LISTS = { settings: ' -c work_mem=16MB' }

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    rowParsers[oid] ?? (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
}

export interface PostgresDatabase extends Database {
  readonly engine: 'server'
  /** The connections to the primary, for libraries that bring their own statements. */
  readonly pool: pg.Pool
}

/** Opens a PostgreSQL server with PostGIS, and its replicas for reads. */
export function openPostgres(options: PostgresOptions): PostgresDatabase {
  const open = (connectionString: string, statementMaxMs: number, { max = options.poolMax ?? 10, settings = '' } = {}) => {
    const pool = new pg.Pool({
      connectionString,
      max,
      connectionTimeoutMillis: options.connectMaxMs ?? CONNECT_MAX_MS,
      keepAlive: true,
      // Compiling a statement takes longer than any of ours runs.
      options: `-c timezone=UTC -c jit=off -c statement_timeout=${statementMaxMs}${settings}`,
      application_name: 'fixpoint',
      types,
    })
    // Without a listener an idle connection that the server closes would end the process.
    pool.on('error', (error) => options.onConnectionLost?.(error))
    return pool
  }
  const primary = open(options.url, STATEMENT_MAX_MS)
  const readMaxMs = options.readMaxMs ?? READ_MAX_MS
  // Costly lists may take all connections of theirs; credentials, counting and writing have others.
  const reads = open(options.url, readMaxMs, FOR_LISTS)
  const replicas = (options.replicaUrls ?? []).map((url) => open(url, readMaxMs, FOR_LISTS))
  const apart = open(options.url, STATEMENT_MAX_MS, { max: 1 })
  const prisma = openPrisma(new PrismaPg(primary))
  // Migrating takes a lock that belongs to a connection, so it has one of its own, which ends with it.
  const adapterFactory = new PrismaPg({ connectionString: options.url, max: 1, application_name: 'fixpoint migrate' })
  const reading = takeTurns(replicas, reads, options.onConnectionLost)

  const run = async (pool: pg.Pool | pg.PoolClient, statement: Sql, maxMs: number) => {
    // The server's own limit comes first; this one is for a server that says nothing any more, and ends the connection.
    const query = { text: statement.text, values: statement.values, query_timeout: maxMs + SILENCE_MAX_MS }
    const send = (kept: { readonly name?: string }) => pool.query<Record<string, unknown>>({ ...query, ...kept })
    const name = nameOfPrepared(statement)
    if (name === undefined) return send({})
    try {
      return await send({ name })
    } catch (error) {
      // A pool has closed the connection; with another one, or without the name, nothing is old. Of a connection of its own the caller has to.
      if (!isOutdated(error) || !(pool instanceof pg.Pool)) throw error
      return send({})
    }
  }

  const onPrimary = async (statement: Sql) => {
    assertOutsideTransaction()
    return run(primary, statement, STATEMENT_MAX_MS)
  }

  return {
    engine: 'server',
    pool: primary,
    prisma,
    adapterFactory,
    query: typedQuery(async (statement) => (await onPrimary(statement)).rows, options.checkRows),
    execute: async (statement) => (await onPrimary(statement)).rowCount ?? 0,
    readsMayLag: replicas.length > 0,
    replicas: replicas.map((replica, n) => ({
      name: nameOfReplica(n),
      isUp: () => reading.isThere(replica),
      lagBytes: () => lagBytes(apart, replica),
    })),
    read: typedQuery(async (statement) => {
      assertOutsideTransaction()
      return (await reading((server) => run(server, statement, readMaxMs))).rows
    }, options.checkRows),
    load: () => [
      loadOf('primary', primary),
      loadOf('reads', reads),
      ...replicas.map((replica, n) => loadOf(nameOfReplica(n), replica)),
    ],
    ping: async () => void (await run(apart, sql`SELECT 1`, PING_MAX_MS)),
    transaction: (work) => prismaTransaction(prisma, work, options.checkRows),
    bulk: (work) => insideBulk(primary, work, options.checkRows),
    async executeScript(text) {
      assertOutsideTransaction()
      const client = await primary.connect()
      try {
        await client.query('SET statement_timeout = 0')
        await client.query(text)
      } finally {
        client.release(true)
      }
    },
    async exclusively(name, work) {
      const client = await primary.connect()
      try {
        await client.query('SET statement_timeout = 0')
        await client.query('SELECT pg_advisory_lock(hashtext($1))', [name])
        return await work()
      } finally {
        // Closing the connection gives the lock back whatever happened to the session.
        client.release(true)
      }
    },
    async close() {
      await prisma.$disconnect()
      await Promise.all([primary, reads, apart, ...replicas].map((pool) => pool.end()))
    },
  }
}

const nameOfReplica = (index: number) => `replica ${index + 1}`

/** The primary is asked first: what it writes meanwhile counts as none that is missing. */
async function lagBytes(primary: pg.Pool, replica: pg.Pool): Promise<number | null> {
  const written = await writtenBy(primary)
  const replayed = await replayedBy(replica)
  if (replayed === undefined) return null
  return replayed >= written ? 0 : Number(written - replayed)
}

const loadOf = (name: string, { totalCount, idleCount, waitingCount }: pg.Pool) => ({
  name,
  total: totalCount,
  idle: idleCount,
  waiting: waitingCount,
})

async function insideBulk<Result>(
  pool: pg.Pool,
  work: (session: BulkSession) => Promise<Result>,
  checkRows?: CheckRows,
): Promise<Result> {
  assertOutsideTransaction()
  const client = await pool.connect()
  const send = ({ text, values }: Sql) => client.query<Record<string, unknown>>({ text, values })
  const session: BulkSession = {
    // Nothing is kept: what a loading repeats it does for thousands of rows at once.
    query: typedQuery(async (statement) => (await send(statement)).rows, checkRows),
    execute: async (statement) => (await send(statement)).rowCount ?? 0,
    copy: async (table, columns, rows) => {
      await pipeline(Readable.from([rows]), client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`)))
    },
  }
  try {
    await client.query('BEGIN; SET LOCAL statement_timeout = 0')
    const result = await insideTransaction(() => work(session))
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // A connection that cannot roll back is broken: closing it rolls back.
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}
