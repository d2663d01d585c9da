import Type, { type Static } from 'typebox'

import { Count, Id, IdRow } from '../../database/columns.ts'
import { type BulkSession, type Database, sql } from '../../database/database.ts'
import { repairPieces } from '../repair-pieces.ts'

/** A cell whose stored count differed from its issues. */
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
  /** The number of places and watch areas whose stored cells did not match their borders. */
  readonly covers: number
  /** The number of places, organisations and watch areas whose pieces did not match their areas. */
  readonly pieces: number
}

const CellCount = Type.Object({ cells: Count })

/**
 * Compares stored cells and pieces with their areas and the counts of cells with the issues, and repairs differences. Writers
 * continue: the comparison uses one snapshot and a repair adds a difference, so concurrent changes stay. Only the roll-up waits.
 * All older ETags of lists and places become invalid, because changes without triggers are unknown.
 */
export async function verifyPyramid(db: Database): Promise<PyramidReport> {
  const covers = await db.bulk(repairCovers)
  const pieces = await repairPieces(db)
  return db.bulk(async (session) => {
    // The lock precedes the snapshot, because changes rolled up in between would be counted twice.
    await session.execute(sql`SELECT pg_advisory_xact_lock(hashtext('roll_up_issue_cells'))`)
    const wrong = await repairCounts(session)
    await session.execute(sql`SELECT begin_cell_generation()`)
    await session.execute(sql`SELECT renew_table_version('places')`)
    const [row] = await session.query(CellCount, sql`SELECT count(*)::integer AS cells FROM issue_cells c WHERE c.cell > 0`)
    return { cells: row?.cells ?? 0, wrong, covers, pieces }
  })
}

function repairCounts(session: BulkSession): Promise<WrongCell[]> {
  return session.query(
    WrongCell,
    sql`
      WITH pending AS (
        SELECT u.cell >> (2 * up.levels) AS cell, sum(u.open) AS open, sum(u.acknowledged) AS acknowledged, sum(u.closed) AS closed,
          sum(u.archived) AS archived
        FROM issue_cell_changes u CROSS JOIN generate_series(0, 16) up (levels)
        GROUP BY 1),
      differences AS (
        SELECT cell, coalesce(k.open, 0) - coalesce(c.open, 0) - coalesce(p.open, 0) AS open,
          coalesce(k.acknowledged, 0) - coalesce(c.acknowledged, 0) - coalesce(p.acknowledged, 0) AS acknowledged,
          coalesce(k.closed, 0) - coalesce(c.closed, 0) - coalesce(p.closed, 0) AS closed,
          coalesce(k.archived, 0) - coalesce(c.archived, 0) - coalesce(p.archived, 0) AS archived
        FROM expected_issue_cells() k
        FULL JOIN issue_cells c USING (cell)
        FULL JOIN pending p USING (cell)),
      repaired AS (
        INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, changes, internal_changes)
        SELECT d.cell, d.open, d.acknowledged, d.closed, d.archived, 1, 1
        FROM differences d
        WHERE (d.open, d.acknowledged, d.closed, d.archived) <> (0, 0, 0, 0)
        ON CONFLICT (cell) DO UPDATE SET open = c.open + EXCLUDED.open, acknowledged = c.acknowledged + EXCLUDED.acknowledged,
          closed = c.closed + EXCLUDED.closed, archived = c.archived + EXCLUDED.archived,
          changes = c.changes + 1, internal_changes = c.internal_changes + 1
        RETURNING c.cell)
      SELECT r.cell, cell_level(r.cell) AS level, (-d.open)::integer AS open, (-d.acknowledged)::integer AS acknowledged,
        (-d.closed)::integer AS closed, (-d.archived)::integer AS archived
      FROM repaired r JOIN differences d ON d.cell = r.cell
      ORDER BY r.cell`,
  )
}

/** A border that changes concurrently is skipped: its trigger computes the cells. */
async function repairCovers(session: BulkSession): Promise<number> {
  const repaired = await session.query(
    IdRow,
    sql`
      WITH repaired_places AS (
        UPDATE places p SET inner_cells = k.inner_cells, edge_cells = k.edge_cells, inner_ranges = k.inner_ranges, edge_ranges = k.edge_ranges, bounding_cells = k.bounding_cells
        FROM (SELECT s.id, ST_AsBinary(s.boundary) AS border, cover.* FROM places s CROSS JOIN LATERAL cover_area(s.boundary) cover) k
        WHERE k.id = p.id AND ST_AsBinary(p.boundary) = k.border 
          AND (p.inner_cells, p.edge_cells, p.inner_ranges, p.edge_ranges, p.bounding_cells)
            IS DISTINCT FROM (k.inner_cells, k.edge_cells, k.inner_ranges, k.edge_ranges, k.bounding_cells)
        RETURNING p.id),
      repaired_areas AS (
        UPDATE watch_areas w SET inner_cells = k.inner_cells, edge_cells = k.edge_cells, inner_ranges = k.inner_ranges, edge_ranges = k.edge_ranges, bounding_cells = k.bounding_cells
        FROM (
          SELECT s.id, ST_AsBinary(s.area) AS border, cover.*
          FROM watch_areas s CROSS JOIN LATERAL cover_area(s.area) cover WHERE s.kind = 'polygon') k
        WHERE k.id = w.id AND w.kind = 'polygon' AND ST_AsBinary(w.area) = k.border 
          AND (w.inner_cells, w.edge_cells, w.inner_ranges, w.edge_ranges, w.bounding_cells)
            IS DISTINCT FROM (k.inner_cells, k.edge_cells, k.inner_ranges, k.edge_ranges, k.bounding_cells)
        RETURNING w.id)
      SELECT m.id FROM repaired_places m UNION ALL SELECT m.id FROM repaired_areas m`,
  )
  return repaired.length
}
