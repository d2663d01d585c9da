import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { LRUCache } from 'lru-cache'

import { hasDemoStreets, type StreetSources } from '../../basemap/has-streets.ts'
import type { TileSource } from '../../basemap/pmtiles-file.ts'
import { mercatorLatitude, mercatorY } from '../../geo/box.ts'
import { listGround, listStreets, type StreetFeature } from './demo-streets.ts'

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
