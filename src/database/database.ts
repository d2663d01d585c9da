import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'

import { Prisma, type PrismaClient } from '../../prisma/generated/client.ts'
import type { TSchema, Static } from 'typebox'

/**
 * `sql` composes SQL with parameters, `join` concatenates fragments, and `empty` is an empty fragment. `raw` inserts text without
 * escaping: pass only constants of this project.
 */
export type Sql = Prisma.Sql
export const { sql, join, empty, raw } = Prisma

export interface Queryable {
  /**
   * Runs `query(Row, statement)` and returns its rows, typed by the TypeBox schema `Row`; tests validate every row. Both engines
   * return timestamps as ISO 8601 text in UTC with milliseconds, bigint and numeric as numbers, and parsed JSON. Statements must
   * convert geometry to numbers or GeoJSON.
   */
  readonly query: Query
}

export interface Executable extends Queryable {
  /** Runs one statement without a result and returns the number of rows that its top-level INSERT, UPDATE or DELETE changed. */
  execute(statement: Sql): Promise<number>
}

/**
 * A transaction allows only this handle to be awaited: on the embedded engine any other query waits for the end of the transaction.
 */
export interface Transaction extends Executable {
  readonly prisma: Prisma.TransactionClient
}

/** A transaction without a statement timeout, for bulk loading. */
export interface BulkSession extends Executable {
  /** Sends rows in text format to `COPY table (columns) FROM …`. Names must be constants of this project. */
  copy(table: string, columns: readonly string[], rows: string): Promise<void>
}

/** The load of one connection pool. */
export interface PoolLoad {
  readonly name: string
  readonly total: number
  readonly idle: number
  /** The number of statements and transactions that wait for a connection. */
  readonly waiting: number
}

/** A standby server that takes reads. */
export interface Replica {
  readonly name: string
  /** Returns false while the replica is excluded because it was unreachable. */
  isUp(): boolean
  /** Returns the bytes of WAL that the replica has not replayed; null if it is no standby. Queries both servers. */
  lagBytes(): Promise<number | null>
}

export interface Database extends Executable {
  readonly engine: 'embedded' | 'server'
  readonly prisma: PrismaClient
  /** Serves Prisma's migrations. */
  readonly adapterFactory: SqlMigrationAwareDriverAdapterFactory
  /**
   * Does the same as `query` on a replica if there is one; all reads of a request use the same replica (replicas.ts). It may lag
   * behind other writers, but never behind the caller's own writes (read-your-writes.ts). On a server it has its own connections
   * and a timeout of five seconds (SQLSTATE 57014).
   */
  readonly read: Query
  /** True if there are replicas, so that two reads may see different snapshots in any order. */
  readonly readsMayLag: boolean
  /** The replicas in the order of `DATABASE_REPLICA_URLS`. */
  readonly replicas: readonly Replica[]
  /** Returns the load of this process's pools without a query. */
  load(): readonly PoolLoad[]
  /** Resolves when the database responds, on a connection reserved for it. */
  ping(): Promise<void>
  /**
   * Commits when `work` resolves and rolls back when it rejects. After a conflict (SQLSTATE 40P01 and 40001) `work` runs again, at
   * most three times, so it must have no effects outside the database. All writes to issues, their children and users must use it,
   * single statements too: `query` and `prisma` do not retry. Lock or change the issue before the users (`lock_users`).
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  bulk<Result>(work: (session: BulkSession) => Promise<Result>): Promise<Result>
  /** Runs a constant script as one transaction without a timeout. */
  executeScript(text: string): Promise<void>
  /** Runs `work` under a lock that excludes other processes with the same name. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export type Query = <Row extends TSchema>(row: Row, statement: Sql) => Promise<Static<Row>[]>
