import { type Bounds, noBounds } from './bounds.ts'
import { doubled } from './doubled-array.ts'
import { gridCell, hilbertPosition, sortByPosition } from './hilbert.ts'

/** Boxes in a node, the default of FlatGeobuf. */
export const NODE_SIZE = 16
const NODE_BYTES = 40

/** The boxes of many features: 32 bytes for each. */
export interface BoxList {
  readonly count: number
  readonly bounds: Bounds
  add(bounds: Bounds): void
  /** Returns west, south, east or north of a box. */
  side(index: number, side: number): number
}

export function createBoxList(): BoxList {
  let sides = new Float64Array(4096)
  let count = 0
  const whole: [number, number, number, number] = [...noBounds]
  return {
    get count() {
      return count
    },
    get bounds() {
      return whole
    },
    add(bounds) {
      if (4 * count === sides.length) sides = doubled(sides, Float64Array)
      sides.set(bounds, 4 * count)
      count += 1
      extend(whole, 0, (side) => bounds[side] ?? 0)
    },
    side: (index, side) => sides[4 * index + side] ?? 0,
  }
}

/** Returns the indexes of the boxes in the order of their centres on the Hilbert curve. */
export function hilbertOrder(boxes: BoxList): Uint32Array {
  const [west, south, east, north] = boxes.bounds
  return sortByPosition(boxes.count, (index) => {
    const lng = (boxes.side(index, 0) + boxes.side(index, 2)) / 2
    const lat = (boxes.side(index, 1) + boxes.side(index, 3)) / 2
    return hilbertPosition(gridCell(lng, west, east), gridCell(lat, south, north))
  })
}

/**
 * Yields the packed R-tree of FlatGeobuf: all nodes from the root to the leaves, which are the boxes in this order. The next step overwrites the yielded bytes.
 *
 * @param size the bytes of a feature
 */
export function* packedRTree(boxes: BoxList, order: Uint32Array, size: (index: number) => number): Generator<Uint8Array> {
  const levels = parentLevels(boxes, order)
  const nodeCounts = [order.length, ...levels.map((level) => level.length / 4)]
  let childNode = 1
  for (let level = levels.length; level > 0; level -= 1) {
    const sides = levels[level - 1] ?? new Float64Array()
    const firstChild = childNode
    yield* nodes(
      sides.length / 4,
      (node, side) => sides[4 * node + side] ?? 0,
      (node) => firstChild + node * NODE_SIZE,
    )
    childNode += nodeCounts[level - 1] ?? 0
  }
  let offset = 0
  yield* nodes(
    order.length,
    (node, side) => boxes.side(order[node] ?? 0, side),
    (node) => {
      const begin = offset
      offset += size(order[node] ?? 0)
      return begin
    },
  )
}

/** Returns the boxes of the parents, of their parents, and so on to the root. One feature has a root above it, too. */
function parentLevels(boxes: BoxList, order: Uint32Array): readonly Float64Array[] {
  const levels: Float64Array[] = []
  let count = order.length
  let side = (node: number, s: number) => boxes.side(order[node] ?? 0, s)
  do {
    const parents = new Float64Array(4 * Math.ceil(count / NODE_SIZE))
    const childSide = side
    for (let node = 0; node < parents.length / 4; node += 1) {
      parents.set(noBounds, 4 * node)
      for (let child = node * NODE_SIZE; child < Math.min((node + 1) * NODE_SIZE, count); child += 1) {
        extend(parents, 4 * node, (s) => childSide(child, s))
      }
    }
    levels.push(parents)
    count = parents.length / 4
    side = (node, s) => parents[4 * node + s] ?? 0
  } while (count > 1)
  return levels
}

function extend(sides: Float64Array | number[], at: number, side: (side: number) => number): void {
  for (const s of [0, 1]) sides[at + s] = Math.min(sides[at + s] ?? 0, side(s))
  for (const s of [2, 3]) sides[at + s] = Math.max(sides[at + s] ?? 0, side(s))
}

const NODES_PER_CHUNK = 1024

function* nodes(
  count: number,
  side: (node: number, side: number) => number,
  offset: (node: number) => number,
): Generator<Uint8Array> {
  const view = new DataView(new ArrayBuffer(NODES_PER_CHUNK * NODE_BYTES))
  for (let from = 0; from < count; from += NODES_PER_CHUNK) {
    const length = Math.min(NODES_PER_CHUNK, count - from)
    for (let i = 0; i < length; i += 1) {
      const at = i * NODE_BYTES
      for (const s of [0, 1, 2, 3]) view.setFloat64(at + 8 * s, side(from + i, s), true)
      view.setBigUint64(at + 32, BigInt(offset(from + i)), true)
    }
    yield new Uint8Array(view.buffer, 0, length * NODE_BYTES)
  }
}
