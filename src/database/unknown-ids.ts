import Type from 'typebox'

import { type Queryable, raw, sql } from './database.ts'

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
