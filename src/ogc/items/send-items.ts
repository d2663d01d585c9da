import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { hash } from 'node:crypto'

import { itemTypes, ROOT } from '../../gis/ogc/links.ts'
import { weakEtag } from '../../http/caching/conditional.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import type { Collection, Context, Selection, ItemFeature, ItemPage } from '../collections/collection.ts'
import { type Crs, crs84 } from '../../gis/crs/crs.ts'
import { collectionMembers, jsonFgMembers, type FeatureOptions, toGeoJsonFeature, toJsonFgFeature } from './features.ts'
import { itemsLinks } from './item-links.ts'

interface ItemsRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly collection: Collection
  readonly context: Context
  readonly selection: Selection
  readonly format: 'json' | 'jsonfg'
  readonly crs: Crs
}

interface CachedItems {
  readonly version: string
  readonly etag: string
  readonly body: Buffer
}

/** A cache of this size has about 35 pages of 1,000 issues with all properties. */
const BYTES_MAX = 32_000_000

/**
 * Returns a function that sends a page of features, to anonymous callers from memory while its version is current.
 */
export function createItemsSender({ urls, clock }: Services): (itemsRequest: ItemsRequest) => Promise<unknown> {
  const cache = new LRUCache<string, CachedItems>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body, version }, key) => body.length + 2 * (version.length + key.length) + 500,
  })

  return async (itemsRequest) => {
    const { request, reply, collection, context, selection, format, crs } = itemsRequest
    const version = request.viewer ? undefined : await collection.findVersion(context, selection)
    const key = `${format} ${request.url}`
    const cached = cache.get(key)
    const isCurrent = cached !== undefined && cached.version === version
    const current = isCurrent ? cached : { version: version ?? '', ...(await readItems(itemsRequest)) }
    if (!isCurrent && version !== undefined) cache.set(key, current)
    void reply.header('etag', current.etag)
    setContentCrs(reply, crs)
    // Fastify adds the charset to texts only.
    return reply.type(`${itemTypes[format]}; charset=utf-8`).send(current.body)
  }

  async function readItems({ request, collection, context, selection, format, crs }: ItemsRequest) {
    const page = await readFeatureTexts(collection, context, selection, { crs, format, properties: selection.properties })
    const links = itemsLinks(urls, request, collection, format, page, selection)
    const members = {
      ...collectionMembers(links, page.entries, page.features.length, toTimestamp(clock().toISOString())),
      ...(format === 'jsonfg' ? jsonFgMembers(collection, crs, urls.at(`${ROOT}/collections/${collection.id}/schema`)) : {}),
    }
    const start = `${JSON.stringify(members).slice(0, -1)},"features":[`
    const body = Buffer.from(`${start}${page.features.join()}]}`)
    // The time of the response is no part of its ETag.
    const parts = [JSON.stringify({ ...members, timeStamp: '' }), hash('sha1', body.subarray(Buffer.byteLength(start)))]
    return { body, etag: weakEtag(parts.join(' ')) }
  }
}

export const setContentCrs = (reply: FastifyReply, crs: Crs) => void reply.header('content-crs', `<${crs.uri}>`)

interface TextOptions extends FeatureOptions {
  readonly format: 'json' | 'jsonfg'
}

/** Returns a page of features as JSON texts. Most requests are for GeoJSON in WGS 84, which the database may write. */
async function readFeatureTexts(
  collection: Collection,
  context: Context,
  selection: Selection,
  { format, ...options }: TextOptions,
): Promise<ItemPage<string>> {
  if (format === 'json' && options.crs === crs84 && collection.readFeatureTexts)
    return collection.readFeatureTexts(context, selection)
  const page = await collection.readItems(context, selection)
  const toItem = (feature: ItemFeature) =>
    format === 'jsonfg' ? toJsonFgFeature(feature, collection, options) : toGeoJsonFeature(feature, options)
  return { ...page, features: page.features.map((feature) => JSON.stringify(toItem(feature))) }
}
