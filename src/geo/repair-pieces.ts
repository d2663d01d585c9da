import { IdRow } from '../database/columns.ts'
import { type Database, type Sql, sql } from '../database/database.ts'

interface Owner {
  readonly table: Sql
  readonly area: Sql
  readonly column: Sql
  /** The condition for rows `s` that have pieces. */
  readonly hasPieces: Sql
}

const owners: readonly Owner[] = [
  { table: sql`places`, area: sql`s.boundary`, column: sql`place_id`, hasPieces: sql`TRUE` },
  { table: sql`organizations`, area: sql`s.area`, column: sql`organization_id`, hasPieces: sql`TRUE` },
  { table: sql`watch_areas`, area: sql`s.area`, column: sql`watch_area_id`, hasPieces: sql`s.kind = 'polygon'` },
]

/** Returns the number of areas whose pieces differed and were replaced. Writers wait only for the area under repair. */
export async function repairPieces(db: Database): Promise<number> {
  let repaired = 0
  for (const owner of owners) {
    const wrong = await db.bulk((session) => session.query(IdRow, wrongPieces(owner)))
    for (const { id } of wrong) await repair(db, owner, id)
    repaired += wrong.length
  }
  return repaired
}

const wrongPieces = ({ table, area, column, hasPieces }: Owner): Sql => sql`
  SELECT s.id FROM ${table} s
  WHERE EXISTS (
    SELECT FROM (SELECT d.*, ST_AsBinary(d.shape) AS bytes FROM divide_area(${area}) d WHERE ${hasPieces}) d
    FULL JOIN (SELECT a.*, ST_AsBinary(a.shape) AS bytes FROM area_pieces a WHERE a.${column} = s.id) a
      ON (a.west, a.south, a.east, a.north, a.bytes) = (d.west, d.south, d.east, d.north, d.bytes)
    WHERE a.west IS NULL OR d.west IS NULL)
  ORDER BY s.id`

/** Reads the area after its row is locked, so that it divides what the last writer stored. */
const repair = (db: Database, { table, area, column, hasPieces }: Owner, id: number): Promise<void> =>
  db.bulk(async (session) => {
    await session.execute(sql`SELECT FROM ${table} s WHERE s.id = ${id} FOR UPDATE`)
    await session.execute(sql`DELETE FROM area_pieces a WHERE a.${column} = ${id}`)
    await session.execute(sql`
      INSERT INTO area_pieces (${column}, west, south, east, north, shape)
      SELECT s.id, d.* FROM ${table} s CROSS JOIN LATERAL divide_area(${area}) d WHERE s.id = ${id} AND ${hasPieces}`)
  })
