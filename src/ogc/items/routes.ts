import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { hash } from 'node:crypto'
import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { filterQueryCompiler } from '../../gis/query.ts'
import { sendPage } from '../../html/page.ts'
import { idMax, toTimestamp } from '../../http/schema/fields.ts'
import { CHANGES_CURSOR, encodeChangesCursor, findChangesPosition } from '../../issue-lifecycle/changes-cursor.ts'
import { createPlaceNames } from '../../issues/records/columns.ts'
import type { Services } from '../../services.ts'
import { collections } from '../collections/collections.ts'
import { crs84, type Crs } from '../../gis/crs/crs.ts'
import { badParameter, negotiateFormat, itemTypes, ROOT, readParameters } from '../../gis/ogc/parameters.ts'
import type { FeatureMaps } from '../../gis/ogc/page-parts.ts'
import { itemPage, itemsPage, itemLabel, rowsLabel } from '../pages/pages.ts'
import {
  jsonFgMembers,
  toGeoJsonFeature,
  toJsonFgFeature,
  collectionMembers,
  type FeatureOptions,
  itemLinks,
  itemsLinks,
  refuseLongItemsLinks,
} from './item-links.ts'
import {
  readCrs,
  readProperties,
  readBox,
  readCursor,
  readLimit,
  readOffset,
  readOrder,
  readPropertyConditions,
  readTime,
} from './items-request.ts'
import {
  listParameters,
  parameterNames,
  type Collection,
  type Context,
  type Selection,
  type ItemFeature,
  type ItemPage,
} from '../collections/collection.ts'
import { weakEtag } from '../../http/caching/validators.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { filterLanguages, readFilter, type ReadFilter } from '../../gis/cql2/read-filter.ts'

const formats = ['json', 'html', 'jsonfg'] as const

/** A page shows few rows; programs ask for more. */
const HTML_LIMIT_MAX = 1_000

export function addItemRoutes(app: FastifyInstance, services: Services & { readonly maps: FeatureMaps }): void {
  const { db, areas, maps, urls } = services
  const sendItems = createItemsSender(services)
  const withPlaceNames = createPlaceNames()
  app.setValidatorCompiler(filterQueryCompiler(app))

  for (const collection of collections) {
    const path = `${ROOT}/collections/${collection.id}`
    const names = parameterNames(collection)

    app.get(`${path}/items`, { schema: { querystring: collection.parameters } }, async (request, reply) => {
      const parameters = readParameters(request, names, listParameters)
      const format = negotiateFormat(request, parameters.get('f') ?? null, formats)
      if (format === 'html' && parameters.has('watcher_token')) throw badParameter('watcher_token', text('token_in_page'))
      const selection = await readSelection(request, parameters, collection, { reader: db.reader, areas })
      const options = { crs: readCrs(parameters, 'crs'), properties: selection.properties }
      refuseLongItemsLinks(urls, request, collection, format, selection.order)
      const context = { reader: db.reader, viewer: request.viewer, urls, withPlaceNames }
      if (format === 'html') {
        const page = await collection.readItems(context, { ...selection, limit: Math.min(selection.limit, HTML_LIMIT_MAX) })
        const links = itemsLinks(urls, request, collection, format, page, selection)
        const features = page.features.map((feature) => toGeoJsonFeature(feature, { ...options, crs: crs84 }))
        const map = await maps.ofRows(page.features, rowsLabel(features.length))
        const view = { collection, features, page, links, urls, properties: options.properties, map }
        return sendPage(request, reply, urls, itemsPage(view))
      }
      return sendItems({ request, reply, collection, context, selection, format, crs: options.crs })
    })

    app.get<{ Params: { id: string } }>(`${path}/items/:id`, async (request, reply) => {
      const parameters = readParameters(request, ['f', 'crs', 'properties'])
      const format = negotiateFormat(request, parameters.get('f') ?? null, formats)
      const options = { crs: readCrs(parameters, 'crs'), properties: readProperties(parameters, collection) }
      const id = readId(request.params.id)
      const feature = await collection.readItem({ reader: db.reader, viewer: request.viewer, urls, withPlaceNames }, id)
      if (!feature) throw problems.notFound('the_resource')
      const links = itemLinks(urls, request, collection, id, format)
      if (format === 'html') {
        const map = await maps.ofFeature(feature, itemLabel(feature))
        const shown = toGeoJsonFeature(feature, { ...options, crs: crs84 })
        return sendPage(request, reply, urls, itemPage({ collection, feature: shown, links, urls, map }))
      }
      const body =
        format === 'jsonfg'
          ? {
              ...jsonFgMembers(collection, options.crs, urls.at(`${path}/schema`)),
              ...toJsonFgFeature(feature, collection, options),
              links,
            }
          : { ...toGeoJsonFeature(feature, options), links }
      const json = JSON.stringify(body)
      setContentCrs(reply, options.crs)
      return reply.type(itemTypes[format]).send(json)
    })
  }
}

function readId(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Infinity
  if (id > idMax) throw problems.notFound('the_resource')
  return id
}

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
function createItemsSender({ urls, clock }: Services): (itemsRequest: ItemsRequest) => Promise<unknown> {
  const cache = new LRUCache<string, CachedItems>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body, version }, key) => body.length + 2 * (version.length + key.length) + 500,
  })

  return async (itemsRequest) => {
    const { request, reply, collection, context, selection, format, crs } = itemsRequest
    const area = selection.filter?.area
    if (area) void reply.header(CHANGES_CURSOR, encodeChangesCursor(await findChangesPosition(context.reader, area)))
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

const setContentCrs = (reply: FastifyReply, crs: Crs) => void reply.header('content-crs', `<${crs.uri}>`)

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

type Parameters = ReadonlyMap<string, string>

/**
 * Returns what the parameters of a request for items select.
 * @throws Problem 400 for an invalid parameter, 422 for an invalid area or unknown ids
 */
async function readSelection(
  request: FastifyRequest,
  parameters: Parameters,
  collection: Collection,
  { reader, areas }: Pick<Context, 'reader'> & { readonly areas: AreaLookup },
): Promise<Selection> {
  const order = readOrder(parameters, collection)
  const own = {
    box: readBox(parameters),
    order,
    position: readCursor(parameters, order),
    offset: readOffset(parameters),
    limit: readLimit(parameters),
    properties: readProperties(parameters, collection),
  }
  const time = readTime(parameters, collection)
  const properties = readPropertyConditions(parameters, collection)
  const cqlFilter = await readCqlFilter(parameters, collection, areas)
  const filter = await collection.readFilter?.({ reader, areas, viewer: request.viewer }, request.query)
  const selected = { ...own, filter }
  await cqlFilter?.limitRows(() => collection.countRows({ reader }, selected))
  return {
    ...selected,
    isCostly: cqlFilter?.isCostly === true,
    conditions: [...(time ? [time] : []), ...properties, ...(cqlFilter ? [cqlFilter.predicate] : [])],
  }
}

async function readCqlFilter(parameters: Parameters, { row }: Collection, areas: AreaLookup): Promise<ReadFilter | undefined> {
  const filter = parameters.get('filter')
  const crs = readCrs(parameters, 'filter-crs')
  const name = parameters.get('filter-lang') ?? 'cql2-text'
  const language = filterLanguages.find((known) => known === name)
  if (!language)
    throw badParameter('filter-lang', text('must_be', { allowed: text('one_of', { values: filterLanguages.join(', ') }) }))
  return filter === undefined ? undefined : readFilter({ filter, language, crs }, row, areas)
}
