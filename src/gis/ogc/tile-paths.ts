/** Paths of OGC API Tiles, which the documents of other rooms link to. */
export const TILESETS = '/ogc/tiles'
export const COLLECTION_TILESETS = '/ogc/collections/issues/tiles'
export const MATRIX_SETS = '/ogc/tileMatrixSets'
export const MATRIX_SET_ID = 'WebMercatorQuad'
export const MATRIX_SET = `${MATRIX_SETS}/${MATRIX_SET_ID}`
export const TILESET = `${COLLECTION_TILESETS}/${MATRIX_SET_ID}`
