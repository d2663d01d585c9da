import { createHash } from 'node:crypto'
import Type, { type TSchema, type Static, type TObject } from 'typebox'

import { Prisma, type PrismaClient } from '../../prisma/generated/client.ts'
import type { Translations } from '../locales/translations.ts'

/** `raw` inserts text without escaping: pass only constants of this project. */
export type Sql = Prisma.Sql
export const { join, empty, raw } = Prisma

/** A statement with the schema of its rows. */
interface TypedSql<Result> extends Sql {
  readonly row: TSchema
  /** Returns what `query` returns for the rows. */
  toResult(rows: readonly unknown[]): Result
}

type Template = Parameters<typeof Prisma.sql>

const typed =
  <Row extends TSchema, Result>(row: Row, toResult: (rows: Static<Row>[]) => Result) =>
  (...template: Template): TypedSql<Result> =>
    Object.assign(Prisma.sql(...template), { row, toResult })

/** The tag of statements and of parts of them: values become parameters. The others are tags of statements that return rows. */
export const sql = Object.assign((...template: Template): Sql => Prisma.sql(...template), {
  type: <Row extends TSchema>(row: Row) => typed(row, (rows) => rows),
  /** The first row, or undefined if there is none. */
  first: <Row extends TSchema>(row: Row) => typed(row, ([first]: (Static<Row> | undefined)[]) => first),
  /** The row of a statement that always returns one. @throws Error if it returned none */
  one: <Row extends TSchema>(row: Row) =>
    typed(row, ([first]: (Static<Row> | undefined)[]): Static<Row> => {
      if (first === undefined) throw new Error('A statement that always returns a row returned none')
      return first
    }),
})

/** PostgreSQL plans a subquery that ends with it separately, so conditions and joins do not move in or out. */
export const optimizationFence = sql`OFFSET 0`

export interface Queryable {
  /**
   * Tests validate the rows against the schema. Both engines return timestamps as ISO 8601 in UTC with milliseconds, bigint and
   * numeric as numbers, and parsed JSON. Statements must convert geometry to numbers or GeoJSON.
   */
  readonly query: Query
}

export interface Executable extends Queryable {
  /** Returns the number of rows that the top-level INSERT, UPDATE or DELETE changed. */
  execute(statement: Sql): Promise<number>
}

/** Prisma's client, of the database or of a transaction. */
export interface PrismaHandle {
  readonly prisma: Prisma.TransactionClient
}

/** Await only this handle inside: on the embedded engine any other query waits for the end of the transaction. */
export interface Transaction extends Executable, PrismaHandle {
  /** The outbox deliveries that `recordEvent` has added. They are queued after the commit (src/outbox/delivery-jobs.ts). */
  readonly deliveries: RecordedDelivery[]
}

export interface RecordedDelivery {
  readonly event_id: number
  readonly handler: string
  /** Number of times that `dispatch-outbox` or a retry by hand has queued the delivery. The first job after the commit does not count. */
  readonly requeues: number
}

/** All statements of a snapshot see the same committed data, whatever is written meanwhile. */
export interface Snapshot extends Queryable {
  /** Returns the rows of a long result in batches, so that memory stays constant. The database works on the next batch meanwhile. */
  batches<Rows>(statement: TypedSql<Rows>): AsyncGenerator<Rows, void, undefined>
}

/** A transaction without a statement timeout. */
export interface BulkSession extends Executable {
  /** Rows are in COPY's text format. Names must be constants of this project. */
  copy(table: string, columns: readonly string[], rows: string): Promise<void>
}

export interface PoolLoad {
  readonly name: string
  readonly total: number
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
}

export interface Replica {
  readonly name: string
  isUp(): boolean
  /** Bytes of WAL that are not replayed, 0 for the primary itself; null if it is neither it nor a standby. Queries both servers. */
  lagBytes(): Promise<number | null>
}

export interface Database extends Executable {
  readonly engine: 'embedded' | 'server'
  readonly prisma: PrismaClient
  /**
   * Queries a replica if there is one, the same one for the whole request (replicas.ts). It may lag behind other writers, but not
   * behind the caller's own writes (read-your-writes.ts). A server has separate connections for it and a timeout of five seconds
   * (SQLSTATE 57014).
   */
  readonly reader: Queryable
  /** True if there are replicas: two reads may see different snapshots in any order. */
  readonly readsMayLag: boolean
  readonly replicas: readonly Replica[]
  /** Returns the load without a query. */
  load(): readonly PoolLoad[]
  /** Uses a reserved connection, so that a busy pool does not delay it. */
  ping(): Promise<void>
  /**
   * Runs `work` again after a conflict (SQLSTATE 40P01 and 40001), at most three times, so it must have no effects outside the
   * database. All writes to issues, their children and users use it: `query` and `prisma` do not retry. Lock or change the users, by
   * id, before the issue.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** A `transaction` without time limits for itself, its statements and their waits for locks. */
  longTransaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` in a read-only transaction with one snapshot, which may take minutes: keep slow clients out of it. A server has few
   * separate connections for it; the embedded engine serves nothing else meanwhile.
   * @param signal ends the transaction, and the statement that a server runs, when the caller no longer needs the result
   */
  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  bulk<Result>(work: (session: BulkSession) => Promise<Result>): Promise<Result>
  /** Runs a constant script as one transaction without a timeout. */
  executeScript(text: string): Promise<void>
  /** Excludes other processes with the same name. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export type Query = <Result>(statement: TypedSql<Result>) => Promise<Result>

export const Id = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const stringEnum = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })

/** The column `translations` of texts of an operator. */
export const translations = <Fields>() => nullable(Type.Unsafe<Translations<Fields>>({ type: 'object' }))

export const IdRow = Type.Object({ id: Id })
export const EntriesRow = Type.Object({ entries: Count })

/** The right columns of a LEFT JOIN are all null if there is no match. */
export function leftJoin<Left extends TObject, Right extends TObject>(left: Left, right: Right) {
  const noMatch = Object.fromEntries(Object.keys(right.properties).map((column) => [column, Type.Null()]))
  const sides = [right.properties, noMatch].map((columns) => Type.Object({ ...left.properties, ...columns }))
  return Type.Unsafe<Static<Left> & (Static<Right> | Record<keyof Static<Right>, null>)>(Type.Union(sides))
}

/** Every connection keeps each text with its plan. */
const TEXTS_MAX = 400

const preparedStatements = new WeakSet<Sql>()
const namesByText = new Map<string, string>()

/** Marks a frequent statement with few distinct texts. Each connection plans a text once, which saves about half of its time. */
export function prepared<Statement extends Sql>(statement: Statement): Statement {
  preparedStatements.add(statement)
  return statement
}

export function preparedName(statement: Sql): string | undefined {
  if (!preparedStatements.has(statement)) return undefined
  const { text } = statement
  const existing = namesByText.get(text)
  if (existing !== undefined) return existing
  if (namesByText.size >= TEXTS_MAX) return undefined
  const name = `fixpoint_${createHash('sha1').update(text).digest('hex')}`
  namesByText.set(text, name)
  return name
}

/** A migration has changed the types of the columns. The statement was not executed and may be sent again. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/** PostgreSQL would plan a single id in an array each time, because its generic plan looks more expensive. */
export function isOneOf(column: Sql, ids: readonly number[]): Sql {
  return ids.length === 1 ? sql`${column} = ${ids[0]}::integer` : sql`${column} = ANY(${ids}::integer[])`
}

const UnknownId = Type.Object({ id: Type.Integer() })

/** Returns those of the ids that the table does not have, sorted. */
export async function findUnknownIds(
  db: Queryable,
  table: 'organizations' | 'request_types' | 'users',
  ids: readonly number[],
): Promise<number[]> {
  const rows = await db.query(sql.type(UnknownId)`
    SELECT input.id FROM unnest(${ids}::integer[]) AS input (id)
    WHERE NOT EXISTS (SELECT FROM ${raw(table)} known WHERE known.id = input.id) ORDER BY input.id`)
  return rows.map(({ id }) => id)
}

/**
 * Locks a name until the end of the transaction (advisory lock).
 * @param isShared whether others may hold it at once, if theirs is shared too
 */
export async function lockName(tx: Executable, name: string, isShared = false): Promise<void> {
  const lock = isShared ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`
  await tx.execute(sql`SELECT ${lock}(hashtext(${name}))`)
}
