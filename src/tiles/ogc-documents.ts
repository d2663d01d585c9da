import type { Urls } from '../http/request/urls.ts'
import { MVT } from './send-tile.ts'
import { mercatorLatitudeMax } from '../geo/box.ts'
import { LAYER } from './read-tile.ts'
import { layerFields, LICENCE_NOTICE } from './tile-json.ts'
import { ZOOM_MAX } from './tile-grid.ts'

/* The documents of OGC API Tiles 1.0 (OGC 20-057) and of the tile matrix set (OGC 17-083r4). */

export const TILESETS = '/ogc/tiles'
export const COLLECTION_TILESETS = '/ogc/collections/issues/tiles'
export const MATRIX_SETS = '/ogc/tileMatrixSets'
const MATRIX_SET = 'WebMercatorQuad'
export const TILESET = `${COLLECTION_TILESETS}/${MATRIX_SET}`

const MATRIX_SET_URI = `http://www.opengis.net/def/tilematrixset/OGC/1.0/${MATRIX_SET}`
const CRS = 'http://www.opengis.net/def/crs/EPSG/0/3857'
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
const SCHEME_REL = 'http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme'
/** Half of the width of the world in metres of EPSG:3857. */
const HALF_WIDTH_M = 20_037_508.342_789_244
const TILE_PIXELS = 256
/** The width of a pixel in metres, as the standard assumes it. */
const PIXEL_M = 0.000_28

const json = 'application/json'

const tileSetSummary = (urls: Urls) => ({
  title: 'Issues as vector tiles',
  dataType: 'vector',
  crs: CRS,
  tileMatrixSetURI: MATRIX_SET_URI,
  links: [
    { href: urls.at(TILESET), rel: 'self', type: json, title: 'The tile set' },
    { href: urls.at(`${MATRIX_SETS}/${MATRIX_SET}`), rel: SCHEME_REL, type: json, title: MATRIX_SET },
    { href: urls.at(`${TILESET}/{tileMatrix}/{tileRow}/{tileCol}`), rel: 'item', type: MVT, title: 'Tiles', templated: true },
  ],
})

export const toTileSets = (urls: Urls, path: string) => ({
  links: [{ href: urls.at(path), rel: 'self', type: json, title: 'This document' }],
  tilesets: [tileSetSummary(urls)],
})

export const toTileSet = (urls: Urls) => ({
  ...tileSetSummary(urls),
  description: 'Single issues from zoom 12 on, clusters below.',
  attribution: LICENCE_NOTICE,
  boundingBox: { lowerLeft: [-180, -mercatorLatitudeMax], upperRight: [180, mercatorLatitudeMax], crs: CRS84 },
  layers: [
    {
      id: LAYER,
      title: 'Issues and clusters of issues',
      dataType: 'vector',
      geometryDimension: 0,
      propertiesSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(layerFields).map(([name, description]) => [name, { type: typeOf(description), description }]),
        ),
      },
    },
  ],
})

const typeOf = (description: string) => (description.split('.', 1)[0] ?? 'String').toLowerCase()

export const toMatrixSets = (urls: Urls) => ({
  links: [{ href: urls.at(MATRIX_SETS), rel: 'self', type: json, title: 'This document' }],
  tileMatrixSets: [
    {
      id: MATRIX_SET,
      title: 'Google Maps Compatible for the World',
      uri: MATRIX_SET_URI,
      crs: CRS,
      links: [{ href: urls.at(`${MATRIX_SETS}/${MATRIX_SET}`), rel: 'self', type: json, title: MATRIX_SET }],
    },
  ],
})

export const toMatrixSet = () => ({
  id: MATRIX_SET,
  title: 'Google Maps Compatible for the World',
  uri: MATRIX_SET_URI,
  crs: CRS,
  orderedAxes: ['X', 'Y'],
  wellKnownScaleSet: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible',
  tileMatrices: Array.from({ length: ZOOM_MAX + 1 }, (_, zoom) => {
    const cellSize = (2 * HALF_WIDTH_M) / TILE_PIXELS / 2 ** zoom
    return {
      id: String(zoom),
      scaleDenominator: cellSize / PIXEL_M,
      cellSize,
      cornerOfOrigin: 'topLeft',
      pointOfOrigin: [-HALF_WIDTH_M, HALF_WIDTH_M],
      tileWidth: TILE_PIXELS,
      tileHeight: TILE_PIXELS,
      matrixWidth: 2 ** zoom,
      matrixHeight: 2 ** zoom,
    }
  }),
})
