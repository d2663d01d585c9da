import Type from 'typebox'

import { type Queryable, type Sql, sql } from '../../src/database/database.ts'

/** Runs a statement without a row schema: the type of the rows is not checked. */
export const queryRows = <Row = Record<string, unknown>>(db: Queryable, statement: Sql): Promise<Row[]> =>
  db.query(sql.type(Type.Unsafe<Row>({}))`${statement}`)
