import { IdRow } from '../database/columns.ts'
import { type Database, type Sql, sql } from '../database/database.ts'

interface Owner {
  readonly table: Sql
  readonly area: Sql
  readonly column: Sql
  /** The condition for rows `owner` that have pieces. */
  readonly hasPieces: Sql
}

const owners: readonly Owner[] = [
  { table: sql`places`, area: sql`owner.boundary`, column: sql`place_id`, hasPieces: sql`TRUE` },
  { table: sql`organizations`, area: sql`owner.area`, column: sql`organization_id`, hasPieces: sql`TRUE` },
  { table: sql`watch_areas`, area: sql`owner.area`, column: sql`watch_area_id`, hasPieces: sql`owner.kind = 'polygon'` },
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
  SELECT owner.id FROM ${table} owner
  WHERE EXISTS (
    SELECT FROM (SELECT piece.*, ST_AsBinary(piece.shape) AS bytes FROM divide_area(${area}) piece WHERE ${hasPieces}) expected
    FULL JOIN (SELECT piece.*, ST_AsBinary(piece.shape) AS bytes FROM area_pieces piece WHERE piece.${column} = owner.id) stored
      ON (stored.west, stored.south, stored.east, stored.north, stored.bytes) = (expected.west, expected.south, expected.east, expected.north, expected.bytes)
    WHERE stored.west IS NULL OR expected.west IS NULL)
  ORDER BY owner.id`

/** Reads the area after its row is locked, so that it divides what the last writer stored. */
const repair = (db: Database, { table, area, column, hasPieces }: Owner, id: number): Promise<void> =>
  db.bulk(async (session) => {
    await session.execute(sql`SELECT FROM ${table} owner WHERE owner.id = ${id} FOR UPDATE`)
    await session.execute(sql`DELETE FROM area_pieces piece WHERE piece.${column} = ${id}`)
    await session.execute(sql`
      INSERT INTO area_pieces (${column}, west, south, east, north, shape)
      SELECT owner.id, piece.* FROM ${table} owner CROSS JOIN LATERAL divide_area(${area}) piece WHERE owner.id = ${id} AND ${hasPieces}`)
  })
