import { type FormatName, listFormats, mediaType } from '../../gis/downloads/formats.ts'
import type { Key } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import {
  type Dataset,
  downloadParameters,
  listParameters,
  open311Parameters,
  type Parameters,
  type Selection,
  statisticsParameters,
} from './selection.ts'

/** Programs read features in pages of this size. */
const PAGE_SIZE = '100'

export interface DataAddress {
  readonly id: string
  /** Name of a format or interface, the same in all languages. */
  readonly name: string
  readonly purpose: Key
  /** The value is undefined if the interface cannot express the selection. */
  readonly url: string | undefined
}

export interface FileAddress extends DataAddress {
  readonly id: FormatName
  readonly url: string
  readonly mediaType: string
}

/** Returns the whole downloads of a table in all formats. */
export function fileAddresses(dataset: Dataset, selection: Selection, urls: Urls): readonly FileAddress[] {
  const parameters = dataset === 'places' ? selection.area : downloadParameters(selection)
  return listFormats(dataset === 'places' ? 'MultiPolygon' : 'Point').map(({ name, title, contentType }) => ({
    id: name,
    name: title,
    purpose: `data.formats.${name}`,
    url: addressOf(urls, `/exports/${dataset}.${name}`, parameters),
    mediaType: mediaType(contentType),
  }))
}

/** Returns the feeds and services that have the table. */
export function serviceAddresses(dataset: Dataset, selection: Selection, urls: Urls): readonly DataAddress[] {
  const at = (path: string, parameters: Parameters) => addressOf(urls, path, parameters)
  const features: DataAddress = {
    id: 'ogc',
    name: 'OGC API Features',
    purpose: 'data.services.ogc',
    url: at(`/ogc/collections/${dataset}/items`, {
      ...(dataset === 'places' ? selection.area : downloadParameters(selection)),
      f: 'json',
    }),
  }
  if (dataset !== 'issues') return [features]
  const lists = listParameters(selection)
  const open311 = open311Parameters(selection)
  return [
    { id: 'atom', name: 'Atom', purpose: 'data.services.atom', url: at('/feeds/issues.atom', lists) },
    {
      id: 'pages',
      name: 'GeoJSON',
      purpose: 'data.services.pages',
      url: at('/feeds/issues.geojson', { ...lists, per_page: PAGE_SIZE }),
    },
    { id: 'api', name: 'JSON', purpose: 'data.services.api', url: at('/api/v2/issues', lists) },
    {
      id: 'statistics',
      name: 'Statistics',
      purpose: 'data.services.statistics',
      url: at('/api/v2/statistics', statisticsParameters(selection)),
    },
    features,
    { id: 'tiles', name: 'TileJSON', purpose: 'data.services.tiles', url: at('/tiles/issues.json', lists) },
    {
      id: 'open311',
      name: 'Open311 GeoReport Bulk',
      purpose: 'data.services.open311',
      url: open311 && at('/open311/v2/bulk/requests.csv', open311),
    },
  ]
}

/** Returns the map with this choice for a frame of another site. */
export const embedAddress = (selection: Selection, language: string, urls: Urls): string =>
  addressOf(urls, '/embed', { ...listParameters(selection), language })

function addressOf(urls: Urls, path: string, parameters: Parameters): string {
  // A comma needs no encoding in a query (RFC 3986, 3.4), and without it lists stay legible.
  const query = new URLSearchParams(toEntries(parameters)).toString().replaceAll('%2C', ',')
  return urls.at(query === '' ? path : `${path}?${query}`)
}

export const toEntries = (parameters: Parameters): [name: string, value: string][] =>
  Object.entries(parameters).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
