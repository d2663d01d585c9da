import type { Static, TSchema } from 'typebox'

import type { Query, Sql } from './database.ts'

/** Receives the rows of every statement with their schema. Tests pass a function that throws if a row differs. */
export type CheckRows = (schema: TSchema, rows: readonly unknown[]) => void

/** Returns `run` with rows typed by a schema. The rows are validated only by `checkRows`, which tests pass. */
export function typedQuery(run: (statement: Sql) => Promise<unknown[]>, checkRows?: CheckRows): Query {
  return async (schema, statement) => {
    const rows = await run(statement)
    checkRows?.(schema, rows)
    return rows as Static<typeof schema>[]
  }
}
