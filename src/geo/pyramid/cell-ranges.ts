import { type Cell, cellPosition, LEVEL_MAX } from './cells.ts'

/**
 * Returns the descendants of cells on a level, as an `int8multirange` with as few ranges as possible. Cells have Morton codes, so the
 * descendants of a cell are consecutive.
 */
export function toMultirange(cells: readonly Cell[], level = LEVEL_MAX): string {
  const ranges = cells.map((cell) => descendants(cell, level)).sort(([a], [b]) => a - b)
  const merged: [from: number, to: number][] = []
  for (const [from, to] of ranges) {
    const last = merged.at(-1)
    if (last && last[1] === from) last[1] = to
    else merged.push([from, to])
  }
  return `{${merged.map(([from, to]) => `[${from},${to})`).join()}}`
}

function descendants(cell: Cell, level: number): [from: number, to: number] {
  const count = 4 ** (level - cellPosition(cell).level)
  return [cell * count, (cell + 1) * count]
}
