import { IdRow } from '../database/columns.ts'
import { type Database, type Sql, sql } from '../database/database.ts'

interface Owner {
  readonly table: Sql
  readonly area: Sql
  readonly column: Sql
  /** The condition for rows `owner` that have parts. */
  readonly hasParts: Sql
}

const owners: readonly Owner[] = [
  { table: sql`places`, area: sql`owner.boundary`, column: sql`place_id`, hasParts: sql`TRUE` },
  { table: sql`organizations`, area: sql`owner.area`, column: sql`organization_id`, hasParts: sql`TRUE` },
  { table: sql`watch_areas`, area: sql`owner.area`, column: sql`watch_area_id`, hasParts: sql`owner.kind = 'polygon'` },
]

/** Returns the number of areas whose parts differed and were replaced. Writers wait only for the area under repair. */
export async function repairParts(db: Database): Promise<number> {
  let repaired = 0
  for (const owner of owners) {
    const wrong = await db.bulk((session) => session.query(sql.type(IdRow)`${wrongParts(owner)}`))
    for (const { id } of wrong) await repair(db, owner, id)
    repaired += wrong.length
  }
  return repaired
}

const wrongParts = ({ table, area, column, hasParts }: Owner): Sql => sql`
  SELECT owner.id FROM ${table} owner
  WHERE ${listParts(sql`SELECT ST_Subdivide(${area}, 64) AS shape WHERE ${hasParts}`)}
    IS DISTINCT FROM ${listParts(sql`SELECT part.shape FROM area_parts part WHERE part.${column} = owner.id`)}
  ORDER BY owner.id`

const listParts = (parts: Sql): Sql => sql`
  (SELECT string_agg(hashed.part, ',' ORDER BY hashed.part) FROM (SELECT md5(ST_AsBinary(listed.shape)) AS part FROM (${parts}) listed) hashed)`

/** Reads the area after its row is locked, so that it divides what the last writer stored. */
const repair = (db: Database, { table, area, column, hasParts }: Owner, id: number): Promise<void> =>
  db.bulk(async (session) => {
    await session.execute(sql`SELECT FROM ${table} owner WHERE owner.id = ${id} FOR UPDATE`)
    await session.execute(sql`DELETE FROM area_parts part WHERE part.${column} = ${id}`)
    await session.execute(sql`
      INSERT INTO area_parts (${column}, shape)
      SELECT owner.id, ST_Subdivide(${area}, 64) FROM ${table} owner WHERE owner.id = ${id} AND ${hasParts}`)
  })
