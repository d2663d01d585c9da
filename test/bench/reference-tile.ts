import type { City } from './reference.ts'

/** The database alone: ST_AsMVT of the points that the service puts into a tile of zoom 12, by the index on points. */

const ZOOM = 12
/** Units of the buffer and the extent, as in src/tiles/tile-grid.ts. */
const BUFFER = 512
const EXTENT = 4_096

const TILE = `
  SELECT ST_AsMVT(feature, 'issues', ${EXTENT}, 'geom', 'id') AS tile FROM (
    SELECT i.id, i.status::text, i.request_type_id, i.rating,
      ST_AsMVTGeom(ST_Transform(i.point, 3857), ST_TileEnvelope($1, $2, $3), ${EXTENT}, ${BUFFER}) AS geom
    FROM issues i WHERE i.moderation_state = 'passed' AND i.status <> 'Archived'
      AND i.point && ST_Transform(ST_TileEnvelope($1, $2, $3, margin => ${BUFFER}.0 / ${EXTENT}), 4326)) feature`

/** Returns the position of the tile of a city. */
export function tileOf({ lng, lat }: City, zoom: number): readonly [z: number, x: number, y: number] {
  const tiles = 2 ** zoom
  const y = (1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2
  return [zoom, Math.floor(((lng + 180) / 360) * tiles), Math.floor(y * tiles)]
}

export const tileStatement = (city: City) => ({ name: 'tile', text: TILE, values: [...tileOf(city, ZOOM)] })
