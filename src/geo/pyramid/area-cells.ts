import { type Sql, sql } from '../../database/database.ts'
import { type Area, holdsIssue } from '../area.ts'
import { cellsAround, cellsAroundCircle } from './around.ts'
import { type Cell, LEVEL_MAX, placeOf } from './cells.ts'
import { coverOfCircle } from './circle-cover.ts'
import { type BoxCover, type Cover, coverOfBox, wholeWorld } from './cover.ts'
import { type AreaCells, refinedEdge } from './refined-edge.ts'

export type { AreaCells } from './refined-edge.ts'

const cellsMade = new WeakMap<Area, AreaCells | null>()

/**
 * Returns the cells of an area; null for a polygon that is not stored. The result is cached for each object because several parts
 * of a statement use it.
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
      return fromCover(area, wholeWorld, wholeWorld.inner)
    case 'box':
      return fromCover(area, coverOfBox(area.box), cellsAround(area.box))
    case 'circle':
      return fromCover(area, coverOfCircle(area.centre, area.radius_m), cellsAroundCircle(area.centre, area.radius_m))
    case 'place':
      return fromTable(area, sql`places s WHERE s.id = ${area.placeId}`)
    case 'watched':
      return fromTable(area, sql`watch_areas s WHERE s.id = ${area.watchAreaId}`)
    case 'polygon':
      return null
  }
}

/** Returns a scalar subquery for an array of at most 64 cells that cover an area; null for a polygon that is not stored. */
export function aroundOf(area: Area): Sql | null {
  switch (area.kind) {
    case 'everywhere':
    case 'box':
    case 'circle':
      return sql`(SELECT string_to_array(${knownCellsAround(area)?.join()}::text, ',')::bigint[])`
    case 'place':
      return sql`(SELECT s.around_cells FROM places s WHERE s.id = ${area.placeId})::bigint[]`
    case 'watched':
      return sql`(SELECT s.around_cells FROM watch_areas s WHERE s.id = ${area.watchAreaId})::bigint[]`
    case 'polygon':
      return null
  }
}

/** Returns the same cells if they are known without a query, else null. */
export function knownCellsAround(area: Area): readonly Cell[] | null {
  if (area.kind === 'everywhere') return wholeWorld.inner
  if (area.kind === 'box') return cellsAround(area.box)
  return area.kind === 'circle' ? cellsAroundCircle(area.centre, area.radius_m) : null
}

const inner = sql`unnest((SELECT a.inner_cells FROM area_cells a))`
const edge = sql`unnest((SELECT a.edge_cells FROM area_cells a))`

/** All cells are passed as one text because the driver serializes arrays number by number. */
function fromCover(area: Area, found: Cover | BoxCover | null, around: readonly Cell[]): AreaCells {
  const cover = found ?? { inner: [], edge: around }
  // A comparison with a box is cheap, so all cells of a box are merged into as few ranges as possible.
  const isCheap = area.kind === 'box'
  const given = sql`
    area_cells AS MATERIALIZED (
      SELECT string_to_array(${cover.inner.join()}::text, ',')::bigint[] AS inner_cells, string_to_array(${cover.edge.join()}::text, ',')::bigint[] AS edge_cells,
        string_to_array(${around.join()}::text, ',')::bigint[] AS around_cells, ${rangesOf(isCheap ? [] : cover.inner)}::text::int8multirange AS inner_ranges,
        ${rangesOf(isCheap ? [...cover.inner, ...cover.edge] : cover.edge)}::text::int8multirange AS edge_ranges)`
  const cells = { given, inner, edge, isInside: holdsIssue(area), areFitting: found !== null }
  return found && 'ranges' in found ? refinedEdge(cells, found) : cells
}

const fromTable = (area: Area, source: Sql): AreaCells => ({
  given: sql`
    area_cells AS MATERIALIZED (
      SELECT s.inner_cells, s.edge_cells, s.around_cells, s.inner_ranges, s.edge_ranges FROM ${source})`,
  inner,
  edge,
  isInside: holdsIssue(area),
  areFitting: true,
})

/** Returns half-open ranges of the finest level in the text format of a multirange. */
function rangesOf(cells: readonly Cell[]): string {
  const all = cells.map(rangeOf).sort(([a], [b]) => a - b)
  const merged: [from: number, to: number][] = []
  for (const [from, to] of all) {
    const last = merged.at(-1)
    if (last && last[1] === from) last[1] = to
    else merged.push([from, to])
  }
  return `{${merged.map(([from, to]) => `[${from},${to})`).join()}}`
}

/** Cells have Morton codes, so the descendants of a cell are consecutive. */
function rangeOf(cell: Cell): [from: number, to: number] {
  const finer = 4 ** (LEVEL_MAX - placeOf(cell).level)
  return [cell * finer, (cell + 1) * finer]
}
