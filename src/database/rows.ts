import type { TSchema } from 'typebox'

import type { Query, Sql } from './database.ts'

/** Told of every row of a statement, with the schema that the row is meant to have. Tests pass one that throws where a row differs. */
export type CheckRows = (schema: TSchema, rows: readonly unknown[]) => void

/** `run` with the rows typed by a schema. In production the rows are taken at their word: `checkRows` is for tests. */
export function typedQuery(run: (statement: Sql) => Promise<unknown[]>, checkRows?: CheckRows): Query {
  return async <Row>(first: TSchema | Sql, second?: Sql): Promise<Row[]> => {
    const rows = await run(second ?? (first as Sql))
    if (second !== undefined) checkRows?.(first, rows)
    return rows as Row[]
  }
}
