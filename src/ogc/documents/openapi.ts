import packageJson from '../../../package.json' with { type: 'json' }
import type { Urls } from '../../http/request/urls.ts'
import { toPortableSchema } from '../../http/openapi/request-bodies.ts'
import { type Collection, parameterNames, propertyParameters, propertySchema } from '../collections/collection.ts'
import { collections } from '../collections/collections.ts'
import { filterLanguages } from '../../gis/cql2/read-filter.ts'
import { crs84, crsList } from '../../gis/crs/crs.ts'
import { FilterQuery } from '../../gis/query.ts'
import { GEOJSON, HTML, JSON_FG, MVT, SCHEMA_JSON, ROOT } from '../../gis/ogc/parameters.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX } from '../items/items-request.ts'
import { COLLECTION_TILESETS, MATRIX_SET, MATRIX_SETS, TILESET, TILESETS } from '../../gis/ogc/tile-paths.ts'
import { schemaKinds } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const queryParameter = (name: string, schema: unknown, description: string, options: Json = {}): Json => ({
  name,
  in: 'query',
  description,
  schema,
  ...options,
})

const crsSchema = { type: 'string', format: 'uri', enum: crsList.map(({ uri }) => uri), default: crs84.uri }
const list = { style: 'form', explode: false }

const shared: Readonly<Record<string, Json>> = {
  f: queryParameter('f', { type: 'string', enum: ['json', 'html', 'jsonfg'] }, 'The format; without it, Accept decides.'),
  limit: queryParameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    'The number of items on a page. A higher number is reduced to the maximum.',
    list,
  ),
  offset: queryParameter(
    'offset',
    { type: 'integer', minimum: 0, maximum: OFFSET_MAX, default: 0 },
    'The number of items to skip, for clients that count pages. A next link continues without it, and later pages cost the same.',
    list,
  ),
  cursor: queryParameter('cursor', { type: 'string' }, 'The start of a page, from a next link.'),
  bbox: queryParameter(
    'bbox',
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 },
    'Items in a box: west, south, east, north, edges included. West may be greater than east: then the box crosses the antimeridian. East may also be beyond 180.',
    list,
  ),
  'bbox-crs': queryParameter('bbox-crs', crsSchema, 'The coordinate reference system of bbox.'),
  crs: queryParameter('crs', crsSchema, 'The coordinate reference system of the response.'),
  datetime: queryParameter(
    'datetime',
    { type: 'string' },
    'Issues created at a time or in an interval such as 2026-01-01T00:00:00Z/..',
    list,
  ),
  filter: queryParameter('filter', { type: 'string' }, 'A CQL2 filter over the queryables.'),
  'filter-lang': queryParameter(
    'filter-lang',
    { type: 'string', enum: filterLanguages, default: 'cql2-text' },
    'The language of filter.',
  ),
  'filter-crs': queryParameter('filter-crs', crsSchema, 'The coordinate reference system of geometries in filter.'),
  properties: queryParameter('properties', { type: 'array', items: { type: 'string' } }, 'Only these properties.', list),
  sortby: queryParameter(
    'sortby',
    { type: 'array', items: { type: 'string' } },
    'Properties with + (ascending) or - before them.',
    list,
  ),
}

const parameterRef = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

function toResponseSchema(type: string): Json {
  if (type === MVT) return { type: 'string', format: 'binary' }
  return { type: type === HTML ? 'string' : 'object' }
}

const response = (description: string, types: readonly string[]): Json => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: toResponseSchema(type) }])),
})

const get = (
  operationId: string,
  summary: string,
  types: readonly string[],
  parameters: readonly Json[] = [parameterRef('f')],
): Json => ({
  get: {
    operationId,
    summary,
    tags: ['OGC API'],
    parameters,
    responses: {
      200: response(summary, types),
      400: response('A parameter is unknown or invalid; the message names it.', ['application/json']),
      404: response('The resource does not exist.', ['application/json']),
      429: response('Too many requests; Retry-After is the number of seconds to wait.', ['application/json']),
      500: response('An internal error.', ['application/json']),
    },
  },
})

/** Returns the OpenAPI 3.0 document of the paths under /ogc; paths are relative to its server, as clients expect them. */
export function toOpenApi(urls: Urls): Json {
  const documents = ['application/json', HTML]
  return {
    openapi: '3.0.3',
    info: {
      title: 'Fixpoint as OGC API',
      version: packageJson.version,
      description:
        'Issues, places and the history of states for GIS programs. The other operations of the service are described at /docs.',
    },
    externalDocs: { url: urls.documentation, description: 'The API of the service' },
    servers: [{ url: urls.at(ROOT) }],
    tags: [{ name: 'OGC API' }],
    paths: {
      '/': get('getLandingPage', 'The landing page', documents),
      '/conformance': get('getConformance', 'The conformance classes', documents),
      '/collections': get('getCollections', 'The collections', documents),
      ...Object.fromEntries(collections.flatMap((collection) => Object.entries<unknown>(collectionPaths(collection)))),
      ...tilePaths(),
    },
    components: { parameters: shared },
  }
}

function collectionPaths(collection: Collection): Json {
  const { id, title } = collection
  const path = `/collections/${id}`
  const name = title.replace(/s$/, '')
  const items = [GEOJSON, JSON_FG, HTML]
  const idParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }
  const schemas = schemaKinds.map((kind): [string, Json] => [
    `${path}/${kind}`,
    get(`get${name}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`, `The ${kind} of ${id}`, [SCHEMA_JSON, HTML]),
  ])
  return {
    [path]: get(`get${title}Collection`, `The collection ${id}`, ['application/json', HTML]),
    [`${path}/items`]: get(`get${title}`, title, items, itemsParameters(collection)),
    [`${path}/items/{id}`]: get(`get${name}`, `An item of ${id}`, items, [
      idParameter,
      ...['f', 'crs', 'properties'].map(parameterRef),
    ]),
    ...Object.fromEntries(schemas),
    [`${path}/schema/geojson`]: get(`get${name}FeatureSchema`, `The schema of ${id} as GeoJSON`, [SCHEMA_JSON]),
    [`${path}/schema/columns`]: get(`get${name}Columns`, `The types of the columns of ${id}`, [SCHEMA_JSON]),
  }
}

/** The routes are those of src/tiles/ogc-routes.ts. */
function tilePaths(): Json {
  const documents = ['application/json', HTML]
  const index = (name: string, description: string): Json => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'integer', minimum: 0 },
  })
  const paths: readonly (readonly [string, Json])[] = [
    [TILESETS, get('getTileSets', 'The tile sets of all collections', documents)],
    [COLLECTION_TILESETS, get('getIssuesTileSets', 'The tile sets of issues', documents)],
    [TILESET, get('getIssuesTileSet', 'The tile set of issues', documents)],
    [
      `${TILESET}/{tileMatrix}/{tileRow}/{tileCol}`,
      get(
        'getIssuesTile',
        'A vector tile of issues',
        [MVT],
        [
          index('tileMatrix', 'Zoom.'),
          index('tileRow', 'Row from the north.'),
          index('tileCol', 'Column from the west.'),
          queryParameter('f', { type: 'string', enum: ['mvt'] }, 'The format.'),
          ...Object.entries(FilterQuery.properties as unknown as Record<string, Json>).map(([name, schema]) =>
            filterParameter(name, schema),
          ),
        ],
      ),
    ],
    [MATRIX_SETS, get('getTileMatrixSets', 'The tile matrix sets', documents)],
    [MATRIX_SET, get('getTileMatrixSet', 'The tile matrix set of the tiles', documents)],
  ]
  return Object.fromEntries(paths.map(([path, operation]) => [path.slice(ROOT.length), operation]))
}

function itemsParameters(collection: Collection): readonly Json[] {
  const filters = collection.parameters.properties as Record<string, Json>
  const filteredProperties = new Set(propertyParameters(collection).map(({ name }) => name))
  return parameterNames(collection).map((name) => {
    if (Object.hasOwn(shared, name)) return parameterRef(name)
    const filter = filters[name]
    if (filteredProperties.has(name) || !filter)
      return queryParameter(name, propertySchema(collection, name), `Items whose ${name} equals this.`)
    return filterParameter(name, filter)
  })
}

function filterParameter(name: string, filter: Json): Json {
  const { description, ...schema } = toOpenApiSchema(toPortableSchema(filter))
  return queryParameter(name, schema, typeof description === 'string' ? description : name, schema['type'] === 'array' ? list : {})
}

/** Returns a schema without keywords that OpenAPI 3.0 lacks: `const`, and `examples`, of which it keeps the first. */
function toOpenApiSchema({ examples, const: value, items, ...schema }: Json): Json {
  return {
    ...schema,
    ...(Array.isArray(examples) ? { example: examples[0] as unknown } : {}),
    ...(value === undefined ? {} : { enum: [value] }),
    ...(items === undefined ? {} : { items: toOpenApiSchema(items as Json) }),
  }
}
