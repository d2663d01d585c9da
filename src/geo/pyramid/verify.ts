import Type, { type Static } from 'typebox'

import { Count, Id, IdRow, type BulkSession, type Database, sql, type Sql, lockName } from '../../database/database.ts'

const WrongCell = Type.Object({
  cell: Id,
  level: Count,
  open: Type.Integer(),
  acknowledged: Type.Integer(),
  closed: Type.Integer(),
  archived: Type.Integer(),
})
export type WrongCell = Static<typeof WrongCell>

export interface PyramidReport {
  /** The number of cells of all levels with a stored count. */
  readonly cells: number
  readonly wrong: readonly WrongCell[]
  /** The number of places and watch areas whose stored cells did not match their boundaries. */
  readonly covers: number
  /** The number of places, organisations and watch areas whose parts did not match their areas. */
  readonly parts: number
}

const CellCount = Type.Object({ cells: Count })

/**
 * Repairs stored cells, parts and counts that differ from the areas and issues. A repair adds a difference in one snapshot, so
 * only the roll-up waits. All older ETags become invalid, because changes without triggers are unknown.
 */
export async function verifyPyramid(db: Database): Promise<PyramidReport> {
  const covers = await db.bulk(repairCovers)
  const parts = await repairParts(db)
  return db.bulk(async (session) => {
    // The lock precedes the snapshot, because changes rolled up in between would be counted twice.
    await lockName(session, 'roll_up_issue_cells')
    const wrong = await repairCounts(session)
    await session.execute(sql`SELECT begin_cell_generation()`)
    await session.execute(sql`SELECT renew_table_version('places')`)
    const [row] = await session.query(sql.type(CellCount)`
      SELECT count(*)::integer AS cells FROM issue_cells WHERE issue_cells.cell > 0`)
    return { cells: row?.cells ?? 0, wrong, covers, parts }
  })
}

function repairCounts(session: BulkSession): Promise<WrongCell[]> {
  return session.query(sql.type(WrongCell)`
    WITH pending AS (
      SELECT changes.cell >> (2 * up.levels) AS cell, sum(changes.open) AS open, sum(changes.acknowledged) AS acknowledged, sum(changes.closed) AS closed,
        sum(changes.archived) AS archived
      FROM issue_cell_changes changes CROSS JOIN generate_series(0, 16) up (levels)
      GROUP BY 1),
    differences AS (
      SELECT cell, coalesce(expected.open, 0) - coalesce(stored.open, 0) - coalesce(pending.open, 0) AS open,
        coalesce(expected.acknowledged, 0) - coalesce(stored.acknowledged, 0) - coalesce(pending.acknowledged, 0) AS acknowledged,
        coalesce(expected.closed, 0) - coalesce(stored.closed, 0) - coalesce(pending.closed, 0) AS closed,
        coalesce(expected.archived, 0) - coalesce(stored.archived, 0) - coalesce(pending.archived, 0) AS archived
      FROM expected_issue_cells() expected
      FULL JOIN issue_cells stored USING (cell)
      FULL JOIN pending USING (cell)),
    repaired AS (
      INSERT INTO issue_cells AS stored (cell, open, acknowledged, closed, archived, public_changes, all_changes)
      SELECT difference.cell, difference.open, difference.acknowledged, difference.closed, difference.archived, 1, 1
      FROM differences difference
      WHERE (difference.open, difference.acknowledged, difference.closed, difference.archived) <> (0, 0, 0, 0)
      ON CONFLICT (cell) DO UPDATE SET open = stored.open + EXCLUDED.open, acknowledged = stored.acknowledged + EXCLUDED.acknowledged,
        closed = stored.closed + EXCLUDED.closed, archived = stored.archived + EXCLUDED.archived,
        public_changes = stored.public_changes + 1, all_changes = stored.all_changes + 1
      RETURNING stored.cell)
    SELECT repaired.cell, cell_level(repaired.cell) AS level, (-difference.open)::integer AS open, (-difference.acknowledged)::integer AS acknowledged,
      (-difference.closed)::integer AS closed, (-difference.archived)::integer AS archived
    FROM repaired JOIN differences difference ON difference.cell = repaired.cell
    ORDER BY repaired.cell`)
}

/** An area that changes concurrently is skipped: its trigger computes the cells. */
async function repairCovers(session: BulkSession): Promise<number> {
  const repaired = await session.query(sql.type(IdRow)`
    WITH repaired_places AS (
      UPDATE places stored SET inner_cells = computed.inner_cells, boundary_cells = computed.boundary_cells, bounding_cells = computed.bounding_cells
      FROM (SELECT place.id, ST_AsBinary(place.boundary) AS boundary, cover.* FROM places place CROSS JOIN LATERAL cover_area(place.boundary) cover) computed
      WHERE computed.id = stored.id AND ST_AsBinary(stored.boundary) = computed.boundary
        AND (stored.inner_cells, stored.boundary_cells, stored.bounding_cells)
          IS DISTINCT FROM (computed.inner_cells, computed.boundary_cells, computed.bounding_cells)
      RETURNING stored.id),
    repaired_areas AS (
      UPDATE watch_areas stored SET inner_cells = computed.inner_cells, boundary_cells = computed.boundary_cells, bounding_cells = computed.bounding_cells
      FROM (
        SELECT watch_area.id, ST_AsBinary(watch_area.area) AS area, cover.*
        FROM watch_areas watch_area CROSS JOIN LATERAL cover_area(watch_area.area) cover WHERE watch_area.kind = 'polygon') computed
      WHERE computed.id = stored.id AND stored.kind = 'polygon' AND ST_AsBinary(stored.area) = computed.area
        AND (stored.inner_cells, stored.boundary_cells, stored.bounding_cells)
          IS DISTINCT FROM (computed.inner_cells, computed.boundary_cells, computed.bounding_cells)
      RETURNING stored.id)
    SELECT repaired_places.id FROM repaired_places UNION ALL SELECT repaired_areas.id FROM repaired_areas`)
  return repaired.length
}

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
async function repairParts(db: Database): Promise<number> {
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
