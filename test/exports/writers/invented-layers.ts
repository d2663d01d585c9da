import type { Position } from 'geojson'

import type { Column } from '../../../src/gis/columns.ts'
import type { Feature, FeatureWriter, Layer } from '../../../src/gis/downloads/writer.ts'

const column = (name: string, type: Column['type'], isNullable = true, description?: string): Column => ({
  name,
  type,
  isNullable,
  description,
})

const columns = [
  column('id', 'integer', false),
  column('title', 'text', false, 'The title of the report.'),
  column('note', 'text'),
  column('score', 'integer'),
  column('area_m2', 'number'),
  column('created_at', 'timestamp', false),
  column('closed_at', 'timestamp'),
]

const description = { licence: 'CC-BY-4.0', attribution: 'Invented by the tests' }
export const pointLayer: Layer = { name: 'issues', title: 'Issues', geometry: 'Point', columns, ...description }
export const polygonLayer: Layer = { name: 'places', title: 'Places', geometry: 'MultiPolygon', columns, ...description }

const texts = ['Pothole', 'Élan "quoted", with comma', '坑洞\nsecond line', 'emoji 🚲 and 👩‍🚒', '', "it's; DROP TABLE"]
/** Spreads whole numbers over 0 to 1, always the same way. */
const fraction = (number: number) => (number * 0.618_033_988_749_895) % 1

/** Returns values in the order of the columns. Each nullable column has nulls. */
function invented(id: number): Feature['values'] {
  const isEven = id % 2 === 0
  return [
    id,
    `${texts[id % texts.length]} ${id}`,
    isEven ? null : (texts[id % texts.length] ?? null),
    id % 3 === 0 ? null : id * (isEven ? 1 : -1),
    id % 5 === 0 ? null : fraction(id) * 1e9,
    new Date(Date.UTC(2020, 0, 1) + id * 3_600_000).toISOString().replace('.000Z', 'Z'),
    isEven ? null : new Date(Date.UTC(2021, 0, 1) + id * 60_000).toISOString().replace('.000Z', 'Z'),
  ]
}

/** Returns points over the whole earth with coordinates of seven decimals. The first ones are at its corners. */
export function inventPoints(count: number): readonly Feature[] {
  const corners = [
    [-180, -90],
    [180, 90],
    [0, 0],
    [180, -90],
  ]
  return Array.from({ length: count }, (_, i) => {
    const point = [degrees(-180 + 360 * fraction(i)), degrees(-90 + 180 * fraction(i * 7 + 1))]
    return { id: i + 1, geometry: { type: 'Point', coordinates: corners[i] ?? point }, values: invented(i + 1) }
  })
}

/** Returns squares with a square hole; every third feature has a second square. Rings follow the right-hand rule. */
export function inventPolygons(count: number): readonly Feature[] {
  return Array.from({ length: count }, (_, i) => {
    const [lng, lat] = [-170 + 340 * fraction(i), -80 + 160 * fraction(i * 3 + 1)]
    const first = [square(lng, lat, 0.5), square(lng, lat, 0.2).toReversed()]
    const polygons = i % 3 === 0 ? [first, [square(lng + 2, lat, 0.3)]] : [first]
    return { id: i + 1, geometry: { type: 'MultiPolygon', coordinates: polygons }, values: invented(i + 1) }
  })
}

function square(lng: number, lat: number, half: number): Position[] {
  const [west, south, east, north] = [lng - half, lat - half, lng + half, lat + half].map(degrees) as [
    number,
    number,
    number,
    number,
  ]
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

const degrees = (value: number) => Math.round(value * 1e7) / 1e7

/** Writes features in batches as an export does, and completes the file. */
export async function writeAll(writer: FeatureWriter, features: readonly Feature[]): Promise<void> {
  for (let from = 0; from < features.length; from += 2000) await writer.write(features.slice(from, from + 2000))
  await writer.end()
}

export const positionsOf = ({ geometry }: Feature): readonly Position[] =>
  geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates.flat(2)
