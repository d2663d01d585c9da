import Type from 'typebox'

import type { Queryable, Sql } from '../../src/database/database.ts'

/** The rows of a statement of a test. Their type is the test's word for it: what a test compares needs no schema beside it. */
export const queryRows = <Row = Record<string, unknown>>(db: Queryable, statement: Sql): Promise<Row[]> =>
  db.query(Type.Unsafe<Row>({}), statement)
