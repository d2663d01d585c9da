import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { bboxClip } from '@turf/bbox-clip'
import type { LineString, Polygon, Position } from 'geojson'
import { LRUCache } from 'lru-cache'

import { hasDemoStreets, type StreetSources } from '../../basemap/has-streets.ts'
import type { TileSource } from '../../basemap/pmtiles-file.ts'
import { type Box, mercatorLatitude, mercatorY } from '../../geo/shapes.ts'
import type { StreetLine, StreetMap } from '../../geo/street-map.ts'

/* The demo has invented streets, from which its addresses are made. Maps without a base map of the operator show them. */

/** A street, or a park or water as a ring or as a wide line. Positions are lng, lat. */
export interface StreetFeature {
  readonly kind: 'park' | 'water' | 'side' | 'main'
  readonly name?: string
  readonly isRing: boolean
  readonly width_m?: number
  readonly positions: readonly Position[]
}

const mapsIn = async ({ readStreetMaps }: StreetSources, box: Box): Promise<readonly StreetMap[]> =>
  ((await readStreetMaps?.()) ?? []).filter(
    ({ bounds }) => bounds.west <= box.east && bounds.east >= box.west && bounds.south <= box.north && bounds.north >= box.south,
  )

/** Returns the parks and the water in a box, clipped to it. */
async function listGround(sources: StreetSources, box: Box): Promise<StreetFeature[]> {
  return (await mapsIn(sources, box)).flatMap(({ openSpaces }) =>
    openSpaces.flatMap((space) =>
      'ring' in space
        ? clip({ kind: space.kind, isRing: true, positions: [...space.ring, ...space.ring.slice(0, 1)].map(toPosition) }, box)
        : clip({ kind: space.kind, isRing: false, width_m: space.width_m, positions: space.line.map(toPosition) }, box),
    ),
  )
}

/** Returns the streets in a box, clipped to it, the main streets last. */
async function listStreets(sources: StreetSources, box: Box, hasSideStreets: boolean): Promise<StreetFeature[]> {
  const draw =
    (kind: 'side' | 'main') =>
    ({ name, positions }: StreetLine) =>
      clip({ kind, name, isRing: false, positions: positions.map(toPosition) }, box)
  return (await mapsIn(sources, box)).flatMap(({ mainStreets, sideStreetsIn }) => [
    ...(hasSideStreets ? sideStreetsIn(box).flatMap(draw('side')) : []),
    ...mainStreets.flatMap(draw('main')),
  ])
}

/** A drawn map shows side streets if a pixel has at most so many metres. */
const SIDE_STREETS_PIXEL_M = 8
const MAIN_STREETS_PIXEL_M = 40
/** A side street has a position at each crossing, but it bends by less than a pixel between some of them. */
const CROSSINGS = 4
const METRES_PER_DEGREE = 111_195

/** Returns what a drawn map of the box shows. `pixels` is its width. The list is empty without the demo and for large boxes. */
export async function readStreets(sources: StreetSources, box: Box, pixels: number): Promise<StreetFeature[]> {
  const pixel_m = ((box.north - box.south) * METRES_PER_DEGREE) / pixels
  if (box.west > box.east || pixel_m > MAIN_STREETS_PIXEL_M || !(await hasDemoStreets(sources))) return []
  const features = [...(await listGround(sources, box)), ...(await listStreets(sources, box, pixel_m <= SIDE_STREETS_PIXEL_M))]
  return features.map((feature) => {
    if (feature.kind !== 'side') return feature
    const last = feature.positions.length - 1
    return { ...feature, positions: feature.positions.filter((_, index) => index % CROSSINGS === 0 || index === last) }
  })
}

const toPosition = ([lng, lat]: readonly [number, number]): Position => [lng, lat]

function clip(feature: StreetFeature, { west, south, east, north }: Box): StreetFeature[] {
  const box = [west, south, east, north] as const
  const positions = [...feature.positions]
  const shape: Polygon | LineString = feature.isRing
    ? { type: 'Polygon', coordinates: [positions] }
    : { type: 'LineString', coordinates: positions }
  const { geometry } = bboxClip(shape, [...box])
  const parts = geometry.type === 'LineString' ? [geometry.coordinates] : (geometry.coordinates as Position[][])
  return parts.filter(({ length }) => length > 1).map((part) => ({ ...feature, positions: part }))
}

export const STREET_ZOOMS = { min: 9, side: 13, max: 14 } as const
const EXTENT = 4_096
/** Labels of neighbouring tiles are placed alike. */
const STREET_BUFFER = 128
/** A line as wide as a river reaches beyond its middle. */
const GROUND_BUFFER = 1_024
const TILES_MAX = 500
/** A pixel at the equator at zoom 0, in tiles of 512 pixels. */
const PIXEL_M = 78_271.517
const [LINE, POLYGON] = [2, 3] as const

/** Vector tiles of the demo's streets with the layers `ground` and `streets`. */
export function createStreetTiles(sources: StreetSources): TileSource {
  const tiles = new LRUCache<string, Promise<Buffer>>({ max: TILES_MAX })
  return {
    isGzip: false,
    async readTile(z, x, y) {
      if (z < STREET_ZOOMS.min || z > STREET_ZOOMS.max || !(await hasDemoStreets(sources))) return undefined
      const key = `${z}/${x}/${y}`
      const tile = tiles.get(key) ?? drawTile(sources, z, x, y)
      tiles.set(key, tile)
      tile.catch(() => tiles.delete(key))
      const bytes = await tile
      return bytes.length === 0 ? undefined : bytes
    },
  }
}

async function drawTile(sources: StreetSources, z: number, x: number, y: number): Promise<Buffer> {
  const world = 2 ** z
  const boxWith = (buffer: number) => {
    const margin = buffer / EXTENT
    return {
      west: ((x - margin) / world) * 360 - 180,
      east: ((x + 1 + margin) / world) * 360 - 180,
      north: mercatorLatitude(Math.max((y - margin) / world, 0)),
      south: mercatorLatitude(Math.min((y + 1 + margin) / world, 1)),
    }
  }
  const [ground, streets] = [boxWith(GROUND_BUFFER), boxWith(STREET_BUFFER)]
  const features = [...(await listGround(sources, ground)), ...(await listStreets(sources, streets, z >= STREET_ZOOMS.side))]
  if (features.length === 0) return Buffer.alloc(0)
  const groundPixel_m = PIXEL_M * Math.cos((mercatorLatitude((y + 0.5) / world) * Math.PI) / 180)
  const toFeature = ({ kind, name, isRing, width_m, positions }: StreetFeature) => {
    const line = positions.map(([lng = 0, lat = 0]): [number, number] => [
      Math.round((((lng + 180) / 360) * world - x) * EXTENT),
      Math.round((mercatorY(lat) * world - y) * EXTENT),
    ])
    return {
      type: isRing ? POLYGON : LINE,
      geometry: [line],
      tags: {
        kind,
        ...(name === undefined ? {} : { name }),
        // The style doubles it with each zoom.
        ...(width_m === undefined ? {} : { width: width_m / groundPixel_m }),
      },
    }
  }
  const layer = (isStreet: boolean) => ({
    features: features.filter(({ name }) => (name !== undefined) === isStreet).map(toFeature),
  })
  const layers = { ground: layer(false), streets: layer(true) }
  // The library reads the features alone.
  return Buffer.from(fromGeojsonVt(layers as unknown as Parameters<typeof fromGeojsonVt>[0], { version: 2, extent: EXTENT }))
}
