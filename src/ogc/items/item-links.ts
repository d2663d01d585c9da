import type { FastifyRequest } from 'fastify'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { isTooLong, queryParameters } from '../../http/lists/pagination.ts'
import { URL_MAX } from '../../http/request/urls.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Collection, ItemPage, Selection } from '../collections/collection.ts'
import { longestPosition, type Order, writePosition } from '../collections/order.ts'
import type { Format } from '../../gis/ogc/formats.ts'
import { formatLinks, itemTypes, licence, type Link, ROOT, withParameters } from '../../gis/ogc/links.ts'

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
