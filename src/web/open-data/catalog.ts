import type { Config } from '../../config.ts'
import type { Box } from '../../geo/shapes.ts'
import { boxRing } from '../../watch-areas/present.ts'
import { LICENCE_URL } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Key, languages, textsIn } from '../../locales/texts.ts'
import { type DataAddress, type FileAddress, fileAddresses, serviceAddresses } from './addresses.ts'
import { type Dataset, datasets, type Selection } from './selection.ts'
import { downloadStatuses } from '../../gis/query.ts'

const context = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dcterms: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geosparql: 'http://www.opengis.net/ont/geosparql#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

/** Media types that IANA has registered. DCAT has `dcterms:format` for the others. */
const registered = [
  ...['application/geo+json', 'text/csv', 'application/vnd.google-earth.kml+xml'],
  ...['application/vnd.apache.parquet', 'application/geopackage+sqlite3', 'application/atom+xml'],
]

const everything: Selection = { area: {}, filters: {}, statuses: downloadStatuses }

interface CatalogFacts {
  readonly urls: Urls
  readonly config: Pick<Config, 'exports' | 'contact'>
  /** ISO timestamps of the last public change and of the first issue. */
  readonly modified: string
  readonly first: string | undefined
  readonly box: Box | undefined
}

/** Returns the open data as a catalog of the W3C vocabulary DCAT 3 in JSON-LD. */
export function toCatalog(facts: CatalogFacts): object {
  const { urls, config, modified } = facts
  const isOpen = config.exports === 'open'
  return {
    '@context': context,
    '@id': urls.at('/data/catalog.jsonld'),
    '@type': 'dcat:Catalog',
    'dcterms:title': inLanguages('data.catalogTitle'),
    'dcterms:description': inLanguages('data.lead'),
    'dcterms:license': id(LICENCE_URL),
    'dcterms:publisher': publisherOf(urls),
    'dcterms:modified': dateTime(modified),
    'foaf:homepage': id(urls.at('/data')),
    'dcat:dataset': datasets.map((dataset) => toDataset(dataset, facts)),
    'dcat:service': services(urls),
    ...(isOpen
      ? {}
      : { 'dcterms:accessRights': { '@type': 'dcterms:RightsStatement', 'rdfs:label': `EXPORTS=${config.exports}` } }),
  }
}

function toDataset(dataset: Dataset, { urls, config, modified, first, box }: CatalogFacts) {
  const page = urls.at(`/data?data=${dataset}`)
  const feeds = serviceAddresses(dataset, everything, urls).filter(({ id: name }) => name === 'atom')
  return {
    '@id': `${urls.at('/data/catalog.jsonld')}#${dataset}`,
    '@type': 'dcat:Dataset',
    'dcterms:identifier': page,
    'dcterms:title': inLanguages(`data.datasets.${dataset}.choice`),
    'dcterms:description': inLanguages(`data.datasets.${dataset}.description`),
    'dcterms:license': id(LICENCE_URL),
    'dcterms:publisher': publisherOf(urls),
    ...(config.contact === undefined ? {} : { 'dcat:contactPoint': contactPoint(config.contact) }),
    'dcat:landingPage': id(page),
    'foaf:page': id(urls.at(`/data/dictionary#${dataset}`)),
    'dcterms:accrualPeriodicity': id('http://purl.org/cld/freq/continuous'),
    ...(dataset === 'places' ? {} : { 'dcterms:modified': dateTime(modified) }),
    ...(box
      ? {
          'dcterms:spatial': {
            '@type': 'dcterms:Location',
            'dcat:bbox': { '@type': 'geosparql:wktLiteral', '@value': toWkt(box) },
          },
        }
      : {}),
    ...(first === undefined || dataset === 'places'
      ? {}
      : {
          'dcterms:temporal': {
            '@type': 'dcterms:PeriodOfTime',
            'dcat:startDate': dateTime(first),
            'dcat:endDate': dateTime(modified),
          },
        }),
    'dcat:distribution': [
      ...(config.exports === 'off' ? [] : fileAddresses(dataset, everything, urls).map((file) => fileDistribution(file, page))),
      ...feeds.map((feed) => feedDistribution(feed)),
    ],
  }
}

function fileDistribution({ name, url, mediaType }: FileAddress, page: string) {
  return {
    '@id': url,
    '@type': 'dcat:Distribution',
    'dcterms:title': name,
    'dcterms:license': id(LICENCE_URL),
    'dcat:accessURL': id(page),
    'dcat:downloadURL': id(url),
    ...mediaTypeOf(mediaType),
  }
}

const feedDistribution = ({ name, url = '' }: DataAddress) => ({
  '@id': url,
  '@type': 'dcat:Distribution',
  'dcterms:title': name,
  'dcterms:license': id(LICENCE_URL),
  'dcat:accessURL': id(url),
  ...mediaTypeOf('application/atom+xml'),
})

const mediaTypeOf = (type: string) =>
  registered.includes(type)
    ? { 'dcat:mediaType': id(`https://www.iana.org/assignments/media-types/${type}`) }
    : { 'dcterms:format': { '@type': 'dcterms:MediaTypeOrExtent', 'rdfs:label': type } }

function services(urls: Urls) {
  const service = (path: string, title: string, standard: string, description: string, served: readonly Dataset[]) => ({
    '@id': urls.at(path),
    '@type': 'dcat:DataService',
    'dcterms:title': title,
    'dcterms:license': id(LICENCE_URL),
    'dcat:endpointURL': id(urls.at(path)),
    'dcat:endpointDescription': id(urls.at(description)),
    'dcterms:conformsTo': id(standard),
    'dcat:servesDataset': served.map((dataset) => id(`${urls.at('/data/catalog.jsonld')}#${dataset}`)),
  })
  return [
    service('/ogc', 'OGC API Features', 'http://www.opengis.net/spec/ogcapi-features-1/1.0', '/ogc/api', datasets),
    service('/open311/v2', 'Open311 GeoReport v2', 'https://wiki.open311.org/GeoReport_v2/', '/open311/v2/discovery.json', [
      'issues',
    ]),
    service('/api/v2', 'JSON API', 'https://spec.openapis.org/oas/v3.1.0', '/docs/json', ['issues', 'places']),
  ]
}

const id = (url: string) => ({ '@id': url })
const dateTime = (iso: string) => ({ '@type': 'xsd:dateTime', '@value': iso })
const inLanguages = (key: Key) => languages.map((language) => ({ '@language': language, '@value': textsIn(language)(key) }))
const publisherOf = (urls: Urls) => ({ '@id': urls.at('/'), '@type': 'foaf:Agent', 'foaf:name': 'Fixpoint' })

function contactPoint(contact: string) {
  const [, name, address = contact] = /^(.*?)\s*<(.*)>$/.exec(contact) ?? []
  return { '@type': 'vcard:Kind', ...(name ? { 'vcard:fn': name } : {}), 'vcard:hasEmail': id(`mailto:${address}`) }
}

/** Longitude comes first (CRS84, the default of GeoSPARQL). */
function toWkt(box: Box): string {
  return `POLYGON((${boxRing(box)
    .map((position) => position.join(' '))
    .join(', ')}))`
}
