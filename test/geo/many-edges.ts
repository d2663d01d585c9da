/* Valid areas with many long edges close to each other, within 0.1 degrees of (-105, 39.7). They are slow to compare with points. */

export type Ring = (readonly [lng: number, lat: number])[]

const LNG = -105
const LAT = 39.7
const REACH = 0.1

const closed = (ring: Ring): Ring => [...ring, ...ring.slice(0, 1)]
const range = (length: number) => Array.from({ length }, (_, n) => n)

/** Returns a comb with teeth from north to south, `2 × teeth + 3` positions. */
export const comb = (teeth: number): Ring[] => [combBetween(teeth, LAT - REACH, LAT + REACH)]

function combBetween(teeth: number, south: number, north: number): Ring {
  const width = (2 * REACH) / teeth
  const [west, gap] = [LNG - REACH, south + (north - south) / 100]
  const edges = range(teeth).flatMap((n): Ring => [
    [west + n * width, north],
    [west + (n + 0.5) * width, gap],
  ])
  return closed([[west, south], ...edges, [LNG + REACH, south]])
}

export const diagonalComb = (teeth: number, degrees = 45): Ring[] =>
  comb(teeth).map((ring) => {
    const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
    const turned = ring.map(
      ([lng, lat]) => [LNG + (lng - LNG) * cosine - (lat - LAT) * sine, LAT + (lng - LNG) * sine + (lat - LAT) * cosine] as const,
    )
    return closed(turned.slice(0, -1))
  })

const onCircle = (angle: number, radius: number) => [LNG + radius * Math.cos(angle), LAT + radius * Math.sin(angle)] as const

/** Returns a star with spikes that meet near the centre, `2 × spikes + 1` positions. */
export const star = (spikes: number): Ring[] => [
  closed(range(2 * spikes).map((n) => onCircle((Math.PI * n) / spikes, n % 2 === 0 ? REACH : REACH / 1_000))),
]

/** Returns a spiral band, `2 × turns × corners + 1` positions. */
export function spiral(turns: number, corners: number): Ring[] {
  const steps = turns * corners
  const at = (n: number, outer: number) =>
    onCircle((2 * Math.PI * n) / corners, REACH * (0.02 + (0.98 * (n + outer * corners)) / steps))
  return [closed([...range(steps).map((n) => at(n, 0)), ...range(steps).map((n) => at(steps - 1 - n, 0.4))])]
}

export function holesOfCombs(holes: number, teeth: number): Ring[] {
  const [west, south, east, north] = [LNG - REACH - 0.01, LAT - REACH - 0.01, LNG + REACH + 0.01, LAT + REACH + 0.01]
  const height = (2 * REACH) / holes
  const inner = range(holes).map((n) => combBetween(teeth, LAT - REACH + n * height, LAT - REACH + (n + 0.8) * height))
  return [
    closed([
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ]),
    ...inner,
  ]
}

/** Returns a regular polygon with as many positions as a boundary drawn by hand. */
export const ordinary = (positions: number): Ring[] => [
  closed(range(positions - 1).map((n) => onCircle((2 * Math.PI * n) / (positions - 1), REACH))),
]
