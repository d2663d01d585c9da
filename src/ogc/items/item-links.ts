import type { FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { type Crs, crs84, transformGeometry } from '../../gis/crs/crs.ts'
import { type Format, formatLinks, itemTypes, licence, type Link, ROOT, withParameters } from '../../gis/ogc/parameters.ts'
import { isTooLong, queryParameters } from '../../http/lists/pagination.ts'
import { URL_MAX, type Urls } from '../../http/request/urls.ts'
import { text } from '../../locales/texts.ts'
import type { Collection, ItemPage, Selection, ItemFeature } from '../collections/collection.ts'
import { longestPosition, type Order, writePosition } from '../collections/order.ts'

const { html: _html, ...typesWithoutPage } = itemTypes

/** The other parameters say where a page begins. */
const isSelection = ([name]: readonly [string, string]) => name !== 'cursor' && name !== 'offset'

/** @throws Problem 400 if parameters are so long that the service would refuse a link to this or a later page */
export function refuseLongItemsLinks(urls: Urls, request: FastifyRequest, { id }: Collection, format: Format, order: Order): void {
  const path = `${ROOT}/collections/${id}/items`
  const parameters = queryParameters(request)
  const formats = formatLinks(urls, path, parameters, format, itemTypes)
  const next = withParameters(urls, path, [...[...parameters].filter(isSelection), ['cursor', longestPosition(order)]])
  refuseTooLong(urls, [...formats.map(({ href }) => href), next])
}

export function itemsLinks(
  urls: Urls,
  request: FastifyRequest,
  collection: Collection,
  format: Format,
  { next }: Pick<ItemPage, 'next'>,
  { order, position, offset }: Selection,
): readonly Link[] {
  const path = `${ROOT}/collections/${collection.id}`
  const parameters = queryParameters(request)
  const others = [...parameters].filter(isSelection)
  const pageUrl = (cursor?: string) =>
    withParameters(urls, `${path}/items`, cursor === undefined ? others : [...others, ['cursor', cursor]])
  // The URL of a page is shared, so none contains a secret token.
  const types = parameters.has('watcher_token') ? typesWithoutPage : itemTypes
  const type = itemTypes[format]
  return [
    ...formatLinks(urls, `${path}/items`, parameters, format, types),
    ...(position || offset > 0 ? [{ href: pageUrl(), rel: 'first', type, title: 'First page' }] : []),
    ...(next ? [{ href: pageUrl(writePosition(order, next)), rel: 'next', type, title: 'Next page' }] : []),
    { href: urls.at(path), rel: 'collection', type: 'application/json', title: 'The collection' },
    licence,
  ]
}

/** @throws Problem 400 if parameters are so long that the service would refuse a link to another format */
export function itemLinks(
  urls: Urls,
  request: FastifyRequest,
  { id: collectionId, title }: Collection,
  id: number,
  format: Format,
): readonly Link[] {
  const path = `${ROOT}/collections/${collectionId}`
  const formats = formatLinks(urls, `${path}/items/${id}`, queryParameters(request), format, itemTypes)
  refuseTooLong(
    urls,
    formats.map(({ href }) => href),
  )
  return [...formats, { href: urls.at(path), rel: 'collection', type: 'application/json', title }, licence]
}

/** Percent-encoding can triple the length of a URL. */
function refuseTooLong(urls: Urls, hrefs: readonly string[]): void {
  if (hrefs.some((href) => isTooLong(urls, href))) throw problems.badRequest(text('parameters_too_long', { max: URL_MAX }))
}

/** Conformance classes of JSON-FG 1.0 (OGC 21-045r1). */
const conformsTo = ['core', 'types-schemas'].map((name) => `http://www.opengis.net/spec/json-fg-1/1.0/conf/${name}`)

export interface FeatureOptions {
  readonly crs: Crs
  /** The names of the properties; undefined for all. */
  readonly properties: readonly string[] | undefined
}

export function toGeoJsonFeature(feature: ItemFeature, { crs, properties }: FeatureOptions): ItemFeature {
  if (crs === crs84 && properties === undefined) return feature
  const geometry = transformGeometry(feature.geometry, crs)
  return { ...feature, geometry, properties: pick(feature.properties, properties) }
}

/** Returns a feature with its time. A geometry in another system than WGS 84 is its `place` (JSON-FG, 7.3). */
export function toJsonFgFeature(feature: ItemFeature, collection: Collection, { crs, properties }: FeatureOptions) {
  const { type, id, geometry } = feature
  const timestamp = collection.timeProperty && feature.properties[collection.timeProperty]
  return {
    type,
    id,
    featureType: collection.id,
    time: timestamp === undefined ? null : { timestamp },
    place: crs === crs84 ? null : transformGeometry(geometry, crs),
    geometry,
    properties: pick(feature.properties, properties),
  }
}

/** Returns the members of a JSON-FG document that are not features. */
export const jsonFgMembers = (collection: Collection, crs: Crs, schemaUrl: string) => ({
  conformsTo,
  featureType: collection.id,
  featureSchema: schemaUrl,
  coordRefSys: crs.uri,
})

function pick(properties: ItemFeature['properties'], names: readonly string[] | undefined): ItemFeature['properties'] {
  return names === undefined ? properties : Object.fromEntries(names.map((name) => [name, properties[name]]))
}

/** Returns the members before the features of a GeoJSON collection (OGC 17-069r4, 7.16). */
export const collectionMembers = (links: readonly Link[], numberMatched: number, numberReturned: number, timeStamp: string) => ({
  type: 'FeatureCollection',
  links,
  timeStamp,
  numberMatched,
  numberReturned,
})
