import type { Static, TSchema } from 'typebox'

import type { Executable, Query, Sql } from './database.ts'

/** Tests compare each statement, as the database describes it, and its rows with the schema, and throw if they differ. */
export interface StatementChecks {
  /** @param schema of the rows; undefined if the caller expects none */
  statement(statement: Sql, schema?: TSchema): Promise<void>
  rows(schema: TSchema, rows: readonly unknown[]): void
}

export function typedQuery(run: (statement: Sql) => Promise<unknown[]>, checks?: StatementChecks): Query {
  return async (statement) => {
    const { row } = statement
    const rows = await run(statement)
    checks?.rows(row, rows)
    await checks?.statement(statement, row)
    return rows as Static<typeof row>[]
  }
}

export function typedExecute(run: (statement: Sql) => Promise<number>, checks?: StatementChecks): Executable['execute'] {
  return async (statement) => {
    const count = await run(statement)
    await checks?.statement(statement)
    return count
  }
}
