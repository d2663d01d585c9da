const classes = (standard: string, names: readonly string[]) =>
  names.map((name) => `http://www.opengis.net/spec/${standard}/1.0/conf/${name}`)

/** The conformance classes of the service, those of `src/tiles` included. */
export const conformsTo: readonly string[] = [
  ...classes('ogcapi-common-1', ['core']),
  ...classes('ogcapi-common-2', ['collections']),
  ...classes('ogcapi-features-1', ['core', 'geojson', 'html', 'oas30']),
  ...classes('ogcapi-features-2', ['crs']),
  ...classes('ogcapi-features-3', ['queryables', 'queryables-query-parameters', 'filter', 'features-filter']),
  ...classes('ogcapi-features-5', ['schemas', 'core-roles-features', 'queryables', 'sortables', 'returnables-and-receivables']),
  ...classes('cql2', [
    'cql2-text',
    'cql2-json',
    'basic-cql2',
    'advanced-comparison-operators',
    'case-insensitive-comparison',
    'accent-insensitive-comparison',
    'basic-spatial-functions',
    'basic-spatial-functions-plus',
    'temporal-functions',
  ]),
  ...classes('json-fg-1', ['core', 'types-schemas']),
  ...classes('ogcapi-tiles-1', ['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt']),
]
