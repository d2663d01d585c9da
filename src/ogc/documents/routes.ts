import type { FastifyInstance } from 'fastify'
import type { Services } from '../../services.ts'
import type { Collection } from '../collections/collection.ts'
import { collections } from '../collections/collections.ts'
import { findExtent, type Extent } from '../collections/extent.ts'
import { crsList, crs84 } from '../../gis/crs/crs.ts'
import {
  HTML,
  negotiateFormat,
  OPENAPI_JSON,
  SCHEMA_JSON,
  GEOJSON,
  JSON_FG,
  licence,
  type Link,
  ROOT,
  readParameters,
} from '../../gis/ogc/parameters.ts'
import { addDocumentRoute, sendDocument } from '../../gis/ogc/document-route.ts'
import { apiPage, collectionPage, collectionsPage, conformancePage, landingPage, schemaPage } from '../pages/pages.ts'
import { toOpenApi } from './openapi.ts'
import { featureSchemaKinds, schemaKinds, toFeatureSchema, toLogicalSchema } from './schemas.ts'
import type { Config } from '../../config.ts'
import { listFormats, mediaType } from '../../gis/downloads/formats.ts'
import type { Urls } from '../../http/request/urls.ts'

const JSON_TYPE = 'application/json'

export function addDocumentRoutes(app: FastifyInstance, { db, urls, config }: Services): void {
  const describe = async (collection: Collection, links?: readonly Link[]) =>
    toCollectionDocument(collection, await findExtent(db.reader, collection), { urls, config }, links)

  addDocumentRoute(app, urls, {
    path: ROOT,
    toDocument: (links) => ({
      title: 'Fixpoint',
      description: 'Civic issues and the places of their cities.',
      links: [...links, ...landingLinks()],
    }),
    toPage: (document) => landingPage(document, urls),
  })
  addDocumentRoute(app, urls, {
    path: `${ROOT}/conformance`,
    toDocument: () => ({ conformsTo }),
    toPage: () => conformancePage(conformsTo, urls),
  })
  addDocumentRoute(app, urls, {
    path: `${ROOT}/api`,
    type: OPENAPI_JSON,
    toDocument: () => toOpenApi(urls),
    toPage: (_document, links) => apiPage(links, urls),
  })
  addDocumentRoute(app, urls, {
    path: `${ROOT}/collections`,
    toDocument: async (links) => ({
      links: [...links, licence],
      crs: crsList.map(({ uri }) => uri),
      collections: await Promise.all(collections.map((collection) => describe(collection))),
    }),
    toPage: () => collectionsPage(collections, urls),
  })
  for (const collection of collections) {
    const path = `${ROOT}/collections/${collection.id}`
    addDocumentRoute(app, urls, {
      path,
      toDocument: (links) => describe(collection, links),
      toPage: ({ links }) => collectionPage(collection, links, urls),
    })
    for (const kind of schemaKinds)
      addDocumentRoute(app, urls, {
        path: `${path}/${kind}`,
        type: SCHEMA_JSON,
        toDocument: () => toLogicalSchema(collection, kind, urls),
        toPage: (schema) => schemaPage(collection, schema, urls),
      })
    for (const kind of featureSchemaKinds)
      app.get(`${path}/schema/${kind}`, (request, reply) => {
        negotiateFormat(request, readParameters(request, ['f']).get('f') ?? null, ['json'])
        return sendDocument(request, reply, toFeatureSchema(collection, kind, urls), SCHEMA_JSON)
      })
  }

  function landingLinks(): readonly Link[] {
    const at = (path: string) => urls.at(`${ROOT}${path}`)
    return [
      { href: at('/api'), rel: 'service-desc', type: OPENAPI_JSON, title: 'The OpenAPI document of these resources' },
      { href: at('/api?f=html'), rel: 'service-doc', type: HTML, title: 'How to use these resources' },
      { href: at('/conformance'), rel: 'conformance', type: JSON_TYPE, title: 'Conformance classes' },
      { href: at('/collections'), rel: 'data', type: JSON_TYPE, title: 'Collections' },
      { href: at('/tiles'), rel: 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector', type: JSON_TYPE, title: 'Vector tiles' },
      {
        href: at('/tileMatrixSets'),
        rel: 'http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes',
        type: JSON_TYPE,
        title: 'Tile matrix sets',
      },
      licence,
    ]
  }
}

const classes = (standard: string, names: readonly string[]) =>
  names.map((name) => `http://www.opengis.net/spec/${standard}/1.0/conf/${name}`)

/** The conformance classes of the service, those of `src/tiles` included. */
const conformsTo: readonly string[] = [
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

/** Returns the description of a collection (OGC 17-069r4, 7.14). A collection without items has no extent. */
function toCollectionDocument(
  collection: Collection,
  extent: Extent | undefined,
  { urls, config }: { readonly urls: Urls; readonly config: Pick<Config, 'exports'> },
  links: readonly Link[] = [],
) {
  const { id, title, description } = collection
  return {
    id,
    title,
    description,
    itemType: 'feature',
    ...(extent ? { extent: toExtentDocument(extent) } : {}),
    crs: crsList.map(({ uri }) => uri),
    storageCrs: crs84.uri,
    links: [...links, ...collectionLinks(collection, urls), ...downloadLinks(collection, urls, config.exports), licence],
  }
}

const toExtentDocument = ({ bbox, interval }: Extent) => ({
  spatial: { bbox: [bbox], crs: crs84.uri },
  ...(interval ? { temporal: { interval: [interval] } } : {}),
})

function collectionLinks({ id, title, hasTiles }: Collection, urls: Urls): readonly Link[] {
  const path = `${ROOT}/collections/${id}`
  const at = (suffix: string) => urls.at(`${path}${suffix}`)
  const tiles: readonly Link[] = [
    {
      href: at('/tiles'),
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector',
      type: 'application/json',
      title: 'Vector tiles',
    },
  ]
  return [
    { href: at('/items'), rel: 'items', type: GEOJSON, title: `${title} as GeoJSON` },
    { href: at('/items?f=html'), rel: 'items', type: HTML, title: `${title} as pages` },
    { href: at('/items?f=jsonfg'), rel: 'items', type: JSON_FG, title: `${title} as JSON-FG` },
    {
      href: at('/queryables'),
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/queryables',
      type: SCHEMA_JSON,
      title: 'Properties for filters',
    },
    { href: at('/queryables'), rel: 'queryables', type: SCHEMA_JSON, title: 'Properties for filters, for older clients' },
    {
      href: at('/sortables'),
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/sortables',
      type: SCHEMA_JSON,
      title: 'Properties for sorting',
    },
    { href: at('/schema'), rel: 'describedby', type: SCHEMA_JSON, title: 'Properties of the items' },
    { href: at('/schema/geojson'), rel: 'describedby', type: SCHEMA_JSON, title: 'Schema of the items as GeoJSON' },
    // GDAL reads the types of all columns here, and only with this spelling.
    { href: at('/schema/columns'), rel: 'describedBy', type: SCHEMA_JSON, title: 'Types of the columns' },
    ...(hasTiles ? tiles : []),
  ]
}

/** Returns the links to the whole collection as a file (OGC 17-069r4, 7.14). Their length is unknown until a file is written. */
function downloadLinks(
  { id, title, geometryType, hasDownloads }: Collection,
  urls: Urls,
  access: Config['exports'],
): readonly Link[] {
  if (!hasDownloads || access === 'off') return []
  const condition = access === 'token' ? ' (needs a token)' : ''
  return listFormats(geometryType).map((format) => ({
    href: urls.at(`/exports/${id}.${format.name}`),
    rel: 'enclosure',
    type: mediaType(format.contentType),
    title: `All ${title.toLowerCase()} as ${format.title}${condition}`,
  }))
}
