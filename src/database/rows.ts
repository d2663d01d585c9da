import type { Static, TSchema } from 'typebox'

import type { Query, Sql } from './database.ts'

/** Tests pass a function that throws if a row differs from its schema. */
export type CheckRows = (schema: TSchema, rows: readonly unknown[]) => void

export function typedQuery(run: (statement: Sql) => Promise<unknown[]>, checkRows?: CheckRows): Query {
  return async (schema, statement) => {
    const rows = await run(statement)
    checkRows?.(schema, rows)
    return rows as Static<typeof schema>[]
  }
}
