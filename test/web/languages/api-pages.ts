/** Pages that show the documents of the OGC API, which are in English. */
export const apiPages: readonly string[] = [
  '/ogc',
  '/ogc/api',
  '/ogc/conformance',
  '/ogc/collections',
  '/ogc/tiles',
  '/ogc/tileMatrixSets',
  '/ogc/tileMatrixSets/WebMercatorQuad',
  '/ogc/collections/issues/tiles',
  '/ogc/collections/issues/tiles/WebMercatorQuad',
  ...['issues', 'places', 'history'].flatMap((id) =>
    ['', '/schema', '/queryables', '/sortables', '/items', '/items/1'].map((path) => `/ogc/collections/${id}${path}`),
  ),
].map((path) => `${path}?f=html`)
