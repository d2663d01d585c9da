import type { Config } from '../../config.ts'
import { listFormats, mediaType } from '../../gis/downloads/formats.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Collection } from '../collections/collection.ts'
import type { Extent } from '../collections/extent.ts'
import { crs84, crsList } from '../../gis/crs/crs.ts'
import { GEOJSON, HTML, JSON_FG, SCHEMA_JSON } from '../../gis/ogc/formats.ts'
import { licence, type Link, ROOT } from '../../gis/ogc/links.ts'

/** Returns the description of a collection (OGC 17-069r4, 7.14). A collection without items has no extent. */
export function toCollectionDocument(
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
