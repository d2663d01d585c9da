import type { Box } from '../../src/geo/box.ts'
import { type BoxCover, coverBox } from '../../src/geo/pyramid/cover.ts'
import { cellPosition } from '../../src/geo/pyramid/cells.ts'

/* Frozen copies of the service's statements for totals. The cells of a box are computed before, because the service computes them. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

const IN_TABLE = `(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass) AS in_table`

interface Cells {
  readonly preparing?: string
  readonly inner: string
  readonly edge: string
  readonly isInside: string
}

const totalOf = ({ preparing = '', inner, edge, isInside }: Cells) => `
  SELECT coalesce(n.open, 0) + coalesce(n.acknowledged, 0) + coalesce(n.closed, 0) AS entries, ${IN_TABLE} FROM (
    ${preparing}
    SELECT sum(t.open)::integer AS open, sum(t.acknowledged)::integer AS acknowledged, sum(t.closed)::integer AS closed,
      sum(t.archived)::integer AS archived
    FROM (
      SELECT c.open, c.acknowledged, c.closed, c.archived
      FROM ${inner} k (cell) CROSS JOIN LATERAL (SELECT c.* FROM issue_cells c WHERE c.cell = k.cell OFFSET 0) c
      UNION ALL
      SELECT u.open, u.acknowledged, u.closed, u.archived
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL (
        SELECT u.* FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) OFFSET 0) u
      UNION ALL
      SELECT (i.status = 'Open')::integer, (i.status = 'Acknowledged')::integer, (i.status = 'Closed')::integer, (i.status = 'Archived')::integer
      FROM ${edge} k (cell)
      CROSS JOIN LATERAL (
        SELECT i.status FROM issues i
        WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND i.moderation_state = 'passed' AND ${isInside}
        OFFSET 0) i) t) n`

const BOX = totalOf({
  inner: 'unnest($1::bigint[])',
  edge: 'unnest($2::bigint[])',
  isInside: '(i.lng BETWEEN $3 AND $4) AND i.lat BETWEEN $5 AND $6',
})

const crowded = (cell: string) =>
  `coalesce((SELECT h.open + h.acknowledged + h.closed + h.archived > 200 FROM issue_cells h WHERE h.cell = ${cell}), FALSE)`

const LARGE_BOX = totalOf({
  preparing: `
    WITH RECURSIVE at_edge (cell, level, x, y, is_inner, is_crowded) AS (
      SELECT k.cell, $7::integer, k.x, k.y, FALSE, ${crowded('k.cell')}
      FROM unnest($2::bigint[], $8::integer[], $9::integer[]) k (cell, x, y)
      UNION ALL
      SELECT c.cell, c.level, c.x, c.y, ((c.x << c.finer) > $10::integer AND ((c.x + 1) << c.finer) <= $11::integer
          AND (c.y << c.finer) > $12::integer AND ((c.y + 1) << c.finer) <= $13::integer), c.level < 16 AND ${crowded('c.cell')}
      FROM (
        SELECT e.cell * 4 + n AS cell, e.level + 1 AS level, e.x * 2 + (n & 1) AS x, e.y * 2 + (n >> 1) AS y, 15 - e.level AS finer
        FROM at_edge e CROSS JOIN generate_series(0, 3) n WHERE e.is_crowded AND NOT e.is_inner) c
      WHERE (c.x << c.finer) <= $11::integer AND ((c.x + 1) << c.finer) > $10::integer
        AND (c.y << c.finer) <= $13::integer AND ((c.y + 1) << c.finer) > $12::integer)`,
  inner: '(SELECT k.cell FROM unnest($1::bigint[]) k (cell) UNION ALL SELECT e.cell FROM at_edge e WHERE e.is_inner)',
  edge: '(SELECT e.cell FROM at_edge e WHERE NOT e.is_inner AND NOT e.is_crowded)',
  isInside: '(i.lng BETWEEN $3 AND $4) AND i.lat BETWEEN $5 AND $6',
})

const PLACE = totalOf({
  inner: 'unnest((SELECT p.inner_cells FROM places p WHERE p.id = $1)::bigint[])',
  edge: 'unnest((SELECT p.boundary_cells FROM places p WHERE p.id = $1)::bigint[])',
  isInside: 'ST_Covers((SELECT p.boundary FROM places p WHERE p.id = $1), ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326))',
})

const EVERYWHERE = totalOf({ inner: `unnest('{1}'::bigint[])`, edge: `unnest('{}'::bigint[])`, isInside: 'TRUE' })

const covers = new Map<string, BoxCover>()

function coverFor(box: Box): BoxCover {
  const key = Object.values(box).join()
  const cover = covers.get(key) ?? coverBox(box)
  if (!cover) throw new Error(`${key} is too small a box for cells.`)
  covers.set(key, cover)
  return cover
}

export const pyramidTotal = {
  areaCells([west, south, east, north]: readonly [number, number, number, number]): readonly number[] {
    const { innerCells: inner, boundaryCells: edge } = coverFor({ west, south, east, north })
    return [...inner, ...edge]
  },
  box([west, south, east, north]: readonly [number, number, number, number]): Statement {
    const { innerCells: inner, boundaryCells: edge, level, ranges } = coverFor({ west, south, east, north })
    const values = [inner, edge, west, east, south, north]
    const [range] = ranges
    if (level >= 12 || !range) return { name: 'total-of-box', text: BOX, values }
    const places = edge.map(cellPosition)
    const [columns, rows] = [places.map(({ column }) => column), places.map(({ row }) => row)]
    return {
      name: 'total-of-large-box',
      text: LARGE_BOX,
      values: [...values, level, columns, rows, range.west, range.east, range.south, range.north],
    }
  },
  place: (id: number): Statement => ({ name: 'total-of-place', text: PLACE, values: [id] }),
  everywhere: (): Statement => ({ name: 'total-of-everything', text: EVERYWHERE, values: [] }),
}
