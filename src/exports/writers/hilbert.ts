const CELLS = 0x1_0000

/** Returns the position of a cell on the Hilbert curve through a grid of 2¹⁶ × 2¹⁶ cells. Near positions are near on the map. */
export function hilbertPosition(column: number, row: number): number {
  let x = column
  let y = row
  let position = 0
  for (let side = CELLS / 2; side > 0; side >>= 1) {
    const right = (x & side) > 0 ? 1 : 0
    const upper = (y & side) > 0 ? 1 : 0
    position = position * 4 + ((3 * right) ^ upper)
    if (upper === 1) continue
    const turned = right === 1 ? CELLS - 1 - y : y
    y = right === 1 ? CELLS - 1 - x : x
    x = turned
  }
  return position
}

/** Returns the column or row of the grid that holds a value between two bounds. */
export function gridCell(value: number, from: number, to: number): number {
  return to > from ? Math.floor(((CELLS - 1) * (value - from)) / (to - from)) : 0
}

/**
 * Returns the indexes of the items sorted by their position on the curve.
 *
 * @param position the position of an item, below 2³²
 */
export function sortByPosition(count: number, position: (index: number) => number): Uint32Array {
  // One number of 64 bits for each item sorts without a comparing function.
  const keys = new BigUint64Array(count)
  const halves = new Uint32Array(keys.buffer)
  for (let i = 0; i < count; i += 1) {
    halves[2 * i] = i
    halves[2 * i + 1] = position(i)
  }
  keys.sort()
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i += 1) order[i] = halves[2 * i] ?? 0
  return order
}
