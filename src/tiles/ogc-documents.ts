import { MVT, licence, type Link } from '../gis/ogc/parameters.ts'
import { MATRIX_SET, MATRIX_SET_ID, TILESET } from '../gis/ogc/tile-paths.ts'
import { mercatorLatitudeMax } from '../geo/shapes.ts'
import { attributionText, licenceText } from '../http/formats/feature-collection.ts'
import type { Urls } from '../http/request/urls.ts'
import { LAYER } from './read-tile.ts'
import layerFields from './layer-fields.json' with { type: 'json' }
import { ZOOM_MAX } from './tile-grid.ts'

/* The documents of OGC API Tiles 1.0 (OGC 20-057) and of the tile matrix set (OGC 17-083r4). */

const MATRIX_SET_URI = `http://www.opengis.net/def/tilematrixset/OGC/1.0/${MATRIX_SET_ID}`
const CRS = 'http://www.opengis.net/def/crs/EPSG/0/3857'
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
const SCHEME_REL = 'http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme'
/** Half of the width of the world in metres of EPSG:3857. */
const HALF_WIDTH_M = 20_037_508.342_789_244
const TILE_PIXELS = 256
/** The width of a pixel in metres, as the standard assumes it. */
const PIXEL_M = 0.000_28

const json = 'application/json'

/** Returns a document from the links to itself and to its other formats. */
export type DocumentFactory<Document extends object = object> = (urls: Urls, links: readonly Link[]) => Document

const description = 'Single issues from zoom 12 on, clusters below.'

function tileSetSummary(urls: Urls, selfLinks: readonly Link[]) {
  const links: readonly Link[] = [
    ...selfLinks,
    { href: urls.at(MATRIX_SET), rel: SCHEME_REL, type: json, title: MATRIX_SET_ID },
    { href: urls.at(`${TILESET}/{tileMatrix}/{tileRow}/{tileCol}?f=mvt`), rel: 'item', type: MVT, title: 'Tiles', templated: true },
    licence,
  ]
  return {
    title: 'Issues as vector tiles',
    dataType: 'vector',
    crs: CRS,
    tileMatrixSetId: MATRIX_SET_ID,
    tileMatrixSetURI: MATRIX_SET_URI,
    tileMatrixSetLimits,
    links,
  }
}

/** Tiles cover the world at each zoom. */
const tileMatrixSetLimits = Array.from({ length: ZOOM_MAX + 1 }, (_, zoom) => ({
  tileMatrix: String(zoom),
  minTileRow: 0,
  maxTileRow: 2 ** zoom - 1,
  minTileCol: 0,
  maxTileCol: 2 ** zoom - 1,
}))

export const toTileSets = (urls: Urls, links: readonly Link[]) => ({
  links,
  tilesets: [tileSetSummary(urls, [{ href: urls.at(TILESET), rel: 'self', type: json, title: 'The tile set' }])],
})

export const toTileSet = (urls: Urls, links: readonly Link[]) => ({
  ...tileSetSummary(urls, links),
  description,
  attribution: `${attributionText(urls)}; ${licenceText}`,
  boundingBox: { lowerLeft: [-180, -mercatorLatitudeMax], upperRight: [180, mercatorLatitudeMax], crs: CRS84 },
  layers: [
    {
      id: LAYER,
      title: 'Issues and clusters of issues',
      dataType: 'vector',
      geometryDimension: 0,
      propertiesSchema: { type: 'object', properties: layerFields },
    },
  ],
})

const matrixSetSummary = {
  id: MATRIX_SET_ID,
  title: 'Google Maps Compatible for the World',
  uri: MATRIX_SET_URI,
  crs: CRS,
}

export const toMatrixSets = (urls: Urls, links: readonly Link[]) => ({
  links,
  tileMatrixSets: [
    { ...matrixSetSummary, links: [{ href: urls.at(MATRIX_SET), rel: 'self', type: json, title: MATRIX_SET_ID }] satisfies Link[] },
  ],
})

export const toMatrixSet = (_urls: Urls, links: readonly Link[]) => ({
  ...matrixSetSummary,
  orderedAxes: ['X', 'Y'],
  wellKnownScaleSet: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible',
  links,
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
