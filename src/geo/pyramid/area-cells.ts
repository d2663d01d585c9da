import { empty, join, type Sql, sql } from '../../database/database.ts'
import type { Area } from '../area.ts'
import { longitudesOf } from '../box.ts'
import { isInPieces, isOfPiece, piecesAround } from '../pieces.ts'
import { geographyOf } from '../point.ts'
import { type Cell, placeOf } from './cells.ts'
import { coverOfCircle } from './circle-cover.ts'
import { type BoxCover, type Cover, coverOfBox, type GridRange, wholeWorld } from './cover.ts'

/** The cells of an area, as SQL. */
export interface AreaCells {
  /** Common table expressions that the others are made of, or nothing. */
  readonly preparing: Sql
  /** Relations whose first column is `cell`: those that the area holds whole, and those at its edge, perhaps more than once. */
  readonly inner: Sql
  readonly edge: Sql
  /** Both at once, perhaps coarser at the edge; as a SQL array, and here where the database need not look them up. */
  readonly all: Sql
  readonly known?: readonly Cell[]
  /** What issue `i` in a cell at the edge has to meet to be inside; made of what the index of cells has, so that no row is looked up. */
  readonly isInside: Sql
  /** The same of an issue in the cell of row `k` of `edge`; it holds for one of the rows of its cell at most. */
  readonly isInsideAtEdge: Sql
}

const cellsMade = new WeakMap<Area, AreaCells | null>()

/**
 * Null for an area that cells do not help with: it is too small or too narrow, or is not stored and has no simple shape. Made once for each object, since
 * the total and the page of a list ask for the same.
 */
export function cellsOf(area: Area): AreaCells | null {
  const made = cellsMade.get(area)
  if (made !== undefined) return made
  const cells = make(area)
  cellsMade.set(area, cells)
  return cells
}

function make(area: Area): AreaCells | null {
  switch (area.kind) {
    case 'everywhere':
      return asked(wholeWorld, sql`TRUE`)
    case 'box': {
      const cover = coverOfBox(area.box)
      if (!cover) return null
      const { south, north } = area.box
      const inRange = longitudesOf(area.box).map(([from, to]) => sql`i.lng BETWEEN ${from} AND ${to}`)
      const isInside = sql`(${join(inRange, ' OR ')}) AND i.lat BETWEEN ${south} AND ${north}`
      return cover.level < COARSE ? refined(cover, isInside) : asked(cover, isInside)
    }
    case 'circle': {
      const cover = coverOfCircle(area.centre, area.radius_m)
      const radius = sql`${area.radius_m}::double precision`
      return cover && asked(cover, sql`ST_DWithin(${point}::geography, ${geographyOf(area.centre)}, ${radius}, false)`)
    }
    case 'place':
      return stored(sql`FROM places p WHERE p.id = ${area.placeId}`, sql`p`, 'place', sql`${area.placeId}::integer`)
    case 'watched':
      return stored(
        sql`FROM watch_areas w WHERE w.id = ${area.watchAreaId}`,
        sql`w`,
        'watchArea',
        sql`${area.watchAreaId}::integer`,
      )
    case 'polygon':
      return null
  }
}

/** The very value of the column of the same name. */
const point = sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`
const issue = { point, lng: sql`i.lng`, lat: sql`i.lat` }

const asked = (cover: Cover, isInside: Sql): AreaCells => ({
  preparing: sql`WITH ${given(cover)}`,
  inner: sql`unnest((SELECT g.inner_cells FROM given g))`,
  edge: sql`unnest((SELECT g.edge_cells FROM given g))`,
  all: sql`(SELECT g.inner_cells || g.edge_cells FROM given g)`,
  known: [...cover.inner, ...cover.edge],
  isInside,
  isInsideAtEdge: isInside,
})

/** Each list of cells once, as one text: they are most of what is sent to the database, and an array is written number by number. */
const given = ({ inner, edge }: Cover) => sql`
  given (inner_cells, edge_cells) AS MATERIALIZED (
    SELECT string_to_array(${inner.join()}::text, ',')::bigint[], string_to_array(${edge.join()}::text, ',')::bigint[])`

const stored = (from: Sql, of: Sql, owner: 'place' | 'watchArea', id: Sql): AreaCells => ({
  preparing: empty,
  inner: sql`unnest((SELECT ${of}.inner_cells ${from})::bigint[])`,
  // Each cell as often as there are pieces in it: looked up once for a cell, they are not looked up for each of its issues.
  edge: sql`(
    SELECT e.cell, a.* FROM unnest((SELECT ${of}.edge_cells ${from})::bigint[]) e (cell)
    CROSS JOIN LATERAL ${piecesAround(owner, id, sql`cell_square(e.cell)`)} a)`,
  all: sql`(SELECT ${of}.inner_cells || ${of}.edge_cells ${from})::bigint[]`,
  isInsideAtEdge: isOfPiece(issue, sql`k`),
  isInside: isInPieces(owner, id, issue),
})

/** From this level on upwards a cell at the edge, 10 km and more across, may hold a whole city. */
const COARSE = 12
/** So many issues are sooner compared one by one than their cell is cut into four. */
const CROWD = 200

/**
 * The cells at the edge of a large box, cut into four again and again where many issues are: what a city on the border of a country costs is
 * what a city's own border costs. Whether a cell is crowded may be known a little late, which changes the way to the sum and not the sum.
 */
function refined(cover: BoxCover, isInside: Sql): AreaCells {
  const { edge, level, ranges } = cover
  const places = edge.map(placeOf)
  const columns = places.map(({ column }) => column)
  const rows = places.map(({ row }) => row)
  return {
    ...asked(cover, isInside),
    preparing: sql`
      WITH RECURSIVE ${given(cover)}, at_edge (cell, level, x, y, is_inner, is_crowded) AS (
        SELECT k.cell, ${level}::integer, k.x, k.y, FALSE, ${isCrowded(sql`k.cell`)}
        FROM unnest((SELECT g.edge_cells FROM given g), ${columns}::integer[], ${rows}::integer[]) k (cell, x, y)
        UNION ALL
        SELECT c.cell, c.level, c.x, c.y, ${anyOf(ranges, isWithin)}, c.level < 16 AND ${isCrowded(sql`c.cell`)}
        FROM (
          SELECT e.cell * 4 + n AS cell, e.level + 1 AS level, e.x * 2 + (n & 1) AS x, e.y * 2 + (n >> 1) AS y, 15 - e.level AS finer
          FROM at_edge e CROSS JOIN generate_series(0, 3) n
          WHERE e.is_crowded AND NOT e.is_inner) c
        WHERE ${anyOf(ranges, touches)})`,
    inner: sql`(SELECT k.cell FROM unnest((SELECT g.inner_cells FROM given g)) k (cell) UNION ALL SELECT e.cell FROM at_edge e WHERE e.is_inner)`,
    edge: sql`(SELECT e.cell FROM at_edge e WHERE NOT e.is_inner AND NOT e.is_crowded)`,
  }
}

const isCrowded = (cell: Sql) => sql`coalesce((
  SELECT held.open + held.acknowledged + held.closed + held.archived > ${CROWD} FROM issue_cells held WHERE held.cell = ${cell}), FALSE)`

const anyOf = (ranges: readonly GridRange[], holds: (range: GridRange) => Sql) => sql`(${join(ranges.map(holds), ' OR ')})`

/** Of cell `c`, whose first and last columns and rows of the finest level are compared with those of the edges, as a cover is made (cover.ts). */
const isWithin = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) > ${west}::integer AND ((c.x + 1) << c.finer) <= ${east}::integer
    AND (c.y << c.finer) > ${south}::integer AND ((c.y + 1) << c.finer) <= ${north}::integer)`

const touches = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) <= ${east}::integer AND ((c.x + 1) << c.finer) > ${west}::integer
    AND (c.y << c.finer) <= ${north}::integer AND ((c.y + 1) << c.finer) > ${south}::integer)`
