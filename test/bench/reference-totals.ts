import type { Box } from '../../src/geo/shapes.ts'
import { type Cover, coverBox } from '../../src/geo/pyramid/area-cells.ts'

/* Frozen copies of the service's statements for totals. The cells of a box are computed before, because the service computes them. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

const IN_TABLE = `(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass) AS in_table`

interface Cells {
  readonly inner: string
  readonly edge: string
  readonly isInside: string
}

const totalOf = ({ inner, edge, isInside }: Cells) => `
  SELECT coalesce(n.open, 0) + coalesce(n.acknowledged, 0) + coalesce(n.closed, 0) AS entries, ${IN_TABLE} FROM (
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

const PLACE = totalOf({
  inner: 'unnest((SELECT p.inner_cells FROM places p WHERE p.id = $1)::bigint[])',
  edge: 'unnest((SELECT p.boundary_cells FROM places p WHERE p.id = $1)::bigint[])',
  isInside: 'ST_Covers((SELECT p.boundary FROM places p WHERE p.id = $1), ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326))',
})

const EVERYWHERE = totalOf({ inner: `unnest('{1}'::bigint[])`, edge: `unnest('{}'::bigint[])`, isInside: 'TRUE' })

const covers = new Map<string, Cover>()

function coverFor(box: Box): Cover {
  const key = Object.values(box).join()
  const cover = covers.get(key) ?? coverBox(box)
  covers.set(key, cover)
  return cover
}

export const pyramidTotal = {
  areaCells([west, south, east, north]: readonly [number, number, number, number]): readonly number[] {
    const { inner, edge } = coverFor({ west, south, east, north })
    return [...inner, ...edge]
  },
  box([west, south, east, north]: readonly [number, number, number, number]): Statement {
    const { inner, edge } = coverFor({ west, south, east, north })
    return { name: 'total-of-box', text: BOX, values: [inner, edge, west, east, south, north] }
  },
  place: (id: number): Statement => ({ name: 'total-of-place', text: PLACE, values: [id] }),
  everywhere: (): Statement => ({ name: 'total-of-everything', text: EVERYWHERE, values: [] }),
}
