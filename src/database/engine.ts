import { AsyncLocalStorage } from 'node:async_hooks'
import type { TSchema } from 'typebox'

import type { Executable, Query, Sql } from './database.ts'

/** Tests compare each statement, as the database describes it, and its rows with the schema, and throw if they differ. */
export interface StatementChecks {
  /** @param schema of the rows; undefined if the caller expects none */
  statement(statement: Sql, schema?: TSchema): Promise<void>
  rows(schema: TSchema, rows: readonly unknown[]): void
}

export function typedQuery(run: (statement: Sql) => Promise<unknown[]>, checks?: StatementChecks): Query {
  return async (statement) => {
    const rows = await run(statement)
    checks?.rows(statement.row, rows)
    await checks?.statement(statement, statement.row)
    return statement.toResult(rows)
  }
}

export function typedExecute(run: (statement: Sql) => Promise<number>, checks?: StatementChecks): Executable['execute'] {
  return async (statement) => {
    const count = await run(statement)
    await checks?.statement(statement)
    return count
  }
}

/** The embedded engine has one session, so another query inside a transaction would deadlock. On both engines it is an error. */
const transactions = new AsyncLocalStorage<true>()

/** Prisma's promises are lazy, so `work` is awaited inside the async context. */
export function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, async () => await work())
}

/** @throws Error within a transaction of the same request */
export function assertOutsideTransaction(): void {
  if (transactions.getStore()) {
    throw new Error('Inside a transaction only its own handle may be used: await tx.query or tx.prisma instead of the database.')
  }
}
