import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'

import { type BulkSession, type Database, type Sql, sql, type Transaction, isOutdatedPlan, preparedName } from './database.ts'
import { assertOutsideTransaction, insideTransaction, type StatementChecks, typedExecute, typedQuery } from './engine.ts'
import { openPool } from './open-pool.ts'
import { balanceReads, isSameServer, replayedPosition, writtenPosition } from './replicas.ts'
import { rowParsers } from './row-values.ts'
import { runSnapshot } from './snapshot.ts'
import { type FinishedStatement, measurePool } from './statement-usage.ts'
import { LONG_TRANSACTION_MAX_MS, openPrisma, prismaTransaction, TRANSACTION_MAX_MS } from './with-prisma.ts'

export interface PostgresOptions {
  readonly url: string
  /** Address of the server if `url` is a pooler, which gives a connection for a single transaction. */
  readonly directUrl?: string | undefined
  readonly replicaUrls?: readonly string[]
  readonly pools?: Partial<PoolSizes>
  readonly connectMaxMs?: number
  readonly readMaxMs?: number
  /** Limits the wait for each lock of statements and transactions; unlimited if absent. Bulk sessions and migrations wait for longer. */
  readonly lockMaxMs?: number | undefined
  /** The pool replaces idle connections after their errors. */
  readonly onConnectionLost?: (error: Error) => void
  readonly onStatement?: ((statement: FinishedStatement) => void) | undefined
  readonly checks?: StatementChecks
}

const CONNECT_MAX_MS = 5_000
/** Bulk loading and migrations remove this limit for their transactions. */
const STATEMENT_MAX_MS = 15_000
/** This lets the server's own limit apply first. */
const RESPONSE_MARGIN_MS = 1_000
const WITHOUT_LIMITS = 'SET statement_timeout = 0; SET lock_timeout = 0'
const LOCAL_WITHOUT_LIMITS = sql`
  SELECT set_config(name, '0', true) FROM unnest(ARRAY['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) AS name`
/** Connections past a pooler for scripts, locks and bulk loading. */
const SESSIONS_MAX = 3
const PING_MAX_MS = 2_000
/** Slower reads than this would delay other requests. */
const READ_MAX_MS = 5_000
/** With the default of 4 MB the bitmap of a common word becomes lossy, and all rows of its pages are rechecked. */
const READ_SETTINGS = ' -c work_mem=16MB'

/** A snapshot can take a core of the server, so there are few; further ones wait. */
const POOLS: PoolSizes = { read: 10, write: 10, export: 4 }

/** Maximum numbers of connections. A server has those for reads, and the primary the others too. */
export interface PoolSizes {
  readonly read: number
  readonly write: number
  readonly export: number
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    rowParsers[oid] ?? (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
}

export interface PostgresDatabase extends Database {
  readonly engine: 'server'
  readonly pool: pg.Pool
}

/** Opens a PostgreSQL server with PostGIS, and its replicas. */
export function openPostgres(options: PostgresOptions): PostgresDatabase {
  const pools = { ...POOLS, ...options.pools }
  const isPooled = options.directUrl !== undefined
  const open = (url: string, max: number, statementMaxMs: number, settings = '') => {
    const pool = openPool(url, {
      max,
      connectionTimeoutMillis: options.connectMaxMs ?? CONNECT_MAX_MS,
      keepAlive: true,
      // JIT compilation takes longer than any statement of the service.
      ...(isPooled && url === options.url
        ? {}
        : { options: `-c timezone=UTC -c jit=off -c statement_timeout=${statementMaxMs}${settings}` }),
      application_name: 'fixpoint',
      types,
    })
    // An error event without a listener would end the process.
    pool.on('error', (error) => options.onConnectionLost?.(error))
    return measurePool(pool, options.onStatement)
  }
  const lockLimit = options.lockMaxMs === undefined ? '' : ` -c lock_timeout=${options.lockMaxMs}`
  // Prisma ends long transactions, unless this process itself is stopped.
  const idleLimit = ` -c idle_in_transaction_session_timeout=${TRANSACTION_MAX_MS}`
  const primary = open(options.url, pools.write, STATEMENT_MAX_MS, `${lockLimit}${idleLimit}`)
  const readMaxMs = options.readMaxMs ?? READ_MAX_MS
  // Separate pools keep expensive lists from blocking credentials, counters and writes.
  const reads = open(options.url, pools.read, readMaxMs, READ_SETTINGS)
  const replicas = (options.replicaUrls ?? []).map((url) => open(url, pools.read, readMaxMs, READ_SETTINGS))
  const direct = options.directUrl ?? options.url
  const snapshots = open(direct, pools.export, STATEMENT_MAX_MS)
  const monitoring = open(direct, 1, STATEMENT_MAX_MS)
  const sessions = isPooled ? open(direct, SESSIONS_MAX, STATEMENT_MAX_MS) : primary
  const prisma = openPrisma(new PrismaPg(primary))
  const isPrimary = (replica: pg.Pool) => isSameServer(monitoring, replica)
  const balancedRead = balanceReads(replicas, reads, isPrimary, options.onConnectionLost)

  const run = async (pool: pg.Pool | pg.PoolClient, statement: Sql, maxMs: number) => {
    // This timeout closes the connection of a server that no longer responds.
    const query = { text: statement.text, values: statement.values, query_timeout: maxMs + RESPONSE_MARGIN_MS }
    const send = (options: { readonly name?: string }) => pool.query<Record<string, unknown>>({ ...query, ...options })
    // A pooler may give the next transaction to another connection, which has no prepared statement.
    const name = isPooled ? undefined : preparedName(statement)
    if (name === undefined) return send({})
    try {
      return await send({ name })
    } catch (error) {
      // The pool has closed the outdated connection. A caller with its own connection must retry itself.
      if (!isOutdatedPlan(error) || !(pool instanceof pg.Pool)) throw error
      return send({})
    }
  }

  const runOnPrimary = async (statement: Sql) => {
    assertOutsideTransaction()
    return run(primary, statement, STATEMENT_MAX_MS)
  }

  return {
    engine: 'server',
    pool: isPooled ? withoutNames(primary) : primary,
    prisma,
    query: typedQuery(async (statement) => (await runOnPrimary(statement)).rows, options.checks),
    execute: typedExecute(async (statement) => (await runOnPrimary(statement)).rowCount ?? 0, options.checks),
    readsMayLag: replicas.length > 0,
    replicas: replicas.map((replica, n) => ({
      name: replicaName(n),
      isUp: () => balancedRead.isUp(replica),
      lagBytes: () => lagBytes(monitoring, replica),
    })),
    reader: {
      query: typedQuery(async (statement) => {
        assertOutsideTransaction()
        return (await balancedRead((server) => run(server, statement, readMaxMs))).rows
      }, options.checks),
    },
    load: () => [
      poolLoad('primary', primary),
      poolLoad('reads', reads),
      poolLoad('snapshots', snapshots),
      ...replicas.map((replica, n) => poolLoad(replicaName(n), replica)),
    ],
    ping: async () => void (await run(monitoring, sql`SELECT 1`, PING_MAX_MS)),
    transaction: (work) => prismaTransaction(prisma, work, options.checks),
    longTransaction: (work) => {
      const unlimited = async (tx: Transaction) => {
        await tx.execute(LOCAL_WITHOUT_LIMITS)
        return work(tx)
      }
      return prismaTransaction(prisma, unlimited, options.checks, LONG_TRANSACTION_MAX_MS)
    },
    snapshot: (work, signal) => runSnapshot(snapshots, monitoring, work, signal, options.checks),
    bulk: (work) => runBulk(sessions, work, options.checks),
    async executeScript(text) {
      assertOutsideTransaction()
      const client = await sessions.connect()
      try {
        await client.query(WITHOUT_LIMITS)
        await client.query(text)
      } finally {
        client.release(true)
      }
    },
    async exclusively(name, work) {
      const client = await sessions.connect()
      try {
        await client.query(WITHOUT_LIMITS)
        await client.query('SELECT pg_advisory_lock(hashtext($1))', [name])
        return await work()
      } finally {
        // Closing the connection releases the lock in every state of the session.
        client.release(true)
      }
    },
    async close() {
      await prisma.$disconnect()
      await Promise.all([...new Set([sessions, primary]), reads, snapshots, monitoring, ...replicas].map((pool) => pool.end()))
    },
  }
}

/** A pooler may give the next statement to a connection that has not prepared it. */
const withoutNames = (pool: pg.Pool): pg.Pool =>
  Object.create(pool, { query: { value: ({ text, values = [] }: pg.QueryConfig) => pool.query(text, values) } }) as pg.Pool

const replicaName = (index: number) => `replica ${index + 1}`

/** The primary is queried first, so that later writes do not count as lag. */
async function lagBytes(primary: pg.Pool, replica: pg.Pool): Promise<number | null> {
  const written = await writtenPosition(primary)
  const replayed = await replayedPosition(replica)
  if (replayed === undefined) return (await isSameServer(primary, replica)) ? 0 : null
  return replayed >= written ? 0 : Number(written - replayed)
}

const poolLoad = (name: string, { totalCount, idleCount, waitingCount }: pg.Pool) => ({
  name,
  total: totalCount,
  idle: idleCount,
  waiting: waitingCount,
})

async function runBulk<Result>(
  pool: pg.Pool,
  work: (session: BulkSession) => Promise<Result>,
  checks?: StatementChecks,
): Promise<Result> {
  assertOutsideTransaction()
  const client = await pool.connect()
  const send = ({ text, values }: Sql) => client.query<Record<string, unknown>>({ text, values })
  const session: BulkSession = {
    // Bulk statements are not prepared: each runs for thousands of rows at once.
    query: typedQuery(async (statement) => (await send(statement)).rows, checks),
    execute: typedExecute(async (statement) => (await send(statement)).rowCount ?? 0, checks),
    copy: async (table, columns, rows) => {
      await pipeline(Readable.from([rows]), client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`)))
    },
  }
  try {
    await client.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    )
    const result = await insideTransaction(() => work(session))
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // Closing a connection rolls back too.
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}
