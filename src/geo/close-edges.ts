import type { Rings } from './polygon.ts'

/** A border of 10,000 positions has about 20,000 overlapping pairs; 2,200 long parallel diagonal edges reach this limit. */
const PAIRS_MAX = 2_500_000

type EdgeBox = readonly [west: number, south: number, east: number, north: number]

/** PostGIS takes time for each pair of edges with overlapping boxes, so many close edges would take seconds of processor time. */
export function hasTooManyCloseEdges(polygons: readonly Rings[]): boolean {
  const boxes = polygons.flatMap((rings) => rings.flatMap(edgeBoxes)).sort(([a], [b]) => a - b)
  // The active boxes are stored in typed arrays: a list of objects takes five times as long.
  const [souths, easts, norths] = [0, 0, 0].map(() => new Float64Array(boxes.length)) as [Float64Array, Float64Array, Float64Array]
  let active = 0
  let pairs = 0
  for (const [west, south, east, north] of boxes) {
    let remaining = 0
    for (let n = 0; n < active; n++) {
      const otherEast = easts[n] as number
      if (otherEast < west) continue
      const otherSouth = souths[n] as number
      const otherNorth = norths[n] as number
      if (otherSouth <= north && otherNorth >= south) pairs++
      easts[remaining] = otherEast
      souths[remaining] = otherSouth
      norths[remaining] = otherNorth
      remaining++
    }
    if (pairs > PAIRS_MAX) return true
    easts[remaining] = east
    souths[remaining] = south
    norths[remaining] = north
    active = remaining + 1
  }
  return false
}

const edgeBoxes = (ring: Rings[number]): EdgeBox[] =>
  ring.slice(1).map(([lng, lat], n) => {
    const [fromLng, fromLat] = ring[n] ?? [lng, lat]
    return [Math.min(lng, fromLng), Math.min(lat, fromLat), Math.max(lng, fromLng), Math.max(lat, fromLat)]
  })
