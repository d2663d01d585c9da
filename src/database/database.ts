import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'

import { Prisma, type PrismaClient } from '../../prisma/generated/client.ts'
import type { TSchema, Static } from 'typebox'

/**
 * SQL with parameters. `sql` composes text and values, `join` a list of fragments, `empty` is no fragment at all; `raw` takes
 * text as it is and is for constants of this project only, never for anything that came from outside.
 */
export type Sql = Prisma.Sql
export const { sql, join, empty, raw } = Prisma

export interface Queryable {
  /**
   * `query(Row, statement)` runs one statement and returns its rows, whose type is that of the TypeBox schema `Row`; tests validate every
   * row against it. On both engines alike: timestamps come as ISO 8601 text in UTC with milliseconds, bigint and numeric as numbers, json
   * parsed. Geometry must be turned into numbers or GeoJSON by the statement itself.
   */
  readonly query: Query
}

/** Runs statements with rows and without. */
export interface Executable extends Queryable {
  /** Runs one statement without rows; returns how many an INSERT, UPDATE or DELETE at its top level changed. */
  execute(statement: Sql): Promise<number>
}

/** Inside a transaction, await only this handle: on the embedded engine everything else would wait for the transaction's end. */
export interface Transaction extends Executable {
  readonly prisma: Prisma.TransactionClient
}

/** A transaction for loading many rows; there is no statement timeout. */
export interface BulkSession extends Executable {
  /** Sends rows in COPY's text format to `COPY table (columns) FROM …`. Names are constants of this project. */
  copy(table: string, columns: readonly string[], rows: string): Promise<void>
}

/** The connections of one kind to one server. */
export interface PoolLoad {
  readonly name: string
  /** Open now. */
  readonly total: number
  readonly idle: number
  /** Statements and transactions that wait for one. */
  readonly waiting: number
}

/** A server that follows the primary and takes reads. */
export interface Replica {
  readonly name: string
  /** Whether it takes reads, or is left alone because it could not be reached. */
  isUp(): boolean
  /** How much of the primary's log it has not replayed yet, in bytes; null where it is no standby. Asks both. */
  lagBytes(): Promise<number | null>
}

export interface Database extends Executable {
  readonly engine: 'embedded' | 'server'
  readonly prisma: PrismaClient
  /** For Prisma's migrations. */
  readonly adapterFactory: SqlMigrationAwareDriverAdapterFactory
  /**
   * Like `query`, on a replica where there is one, the same one for all of a request (replicas.ts); may be a moment behind what others
   * have just written, and never behind what the caller of a request has (read-your-writes.ts). On a server it has connections of its own, and is cancelled (SQLSTATE 57014) after five seconds.
   */
  readonly read: Query
  /** Whether there are replicas, so that two reads may be of two different moments, in whatever order. */
  readonly readsMayLag: boolean
  /** In the order of `DATABASE_REPLICA_URLS`. */
  readonly replicas: readonly Replica[]
  /** How busy the connections of this process are; asks nobody. */
  load(): readonly PoolLoad[]
  /** Resolves when the database answers, however busy the connections of all other work are. */
  ping(): Promise<void>
  /**
   * Commits when `work` resolves, rolls back when it rejects. Where the database gives the transaction up for the sake of another
   * (SQLSTATE 40P01 and 40001), all of `work` is done anew, up to three times: it must change nothing but the database. Writes to
   * issues, to what hangs on them and to people go through here, single statements too, since `query` and `prisma` cannot tell whether
   * theirs may be sent twice. The row of the issue is to be changed or locked before those of people (`lock_people`).
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  bulk<Result>(work: (session: BulkSession) => Promise<Result>): Promise<Result>
  /** Runs constant text of many statements as one transaction, without a timeout. */
  executeScript(text: string): Promise<void>
  /** Runs `work` while no other process runs work under the same name. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The old form without a schema remains until every statement has one. */
export interface Query {
  <Row extends TSchema>(row: Row, statement: Sql): Promise<Static<Row>[]>
  <Row>(statement: Sql): Promise<Row[]>
}
