import type { FastifyInstance } from 'fastify'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { filterQueryCompiler } from '../../gis/filter.ts'
import { sendPage } from '../../html/page.ts'
import { idMax } from '../../http/schema/fields.ts'
import { createPlaceNames } from '../../issues/records/place-names.ts'
import type { Services } from '../../services.ts'
import { collections } from '../collections/collections.ts'
import { crs84 } from '../../gis/crs/crs.ts'
import { badParameter } from '../../gis/ogc/bad-request.ts'
import type { FeatureMaps } from '../../gis/ogc/feature-maps.ts'
import { negotiateFormat } from '../../gis/ogc/formats.ts'
import { itemTypes, ROOT } from '../../gis/ogc/links.ts'
import { itemPage, itemsPage, itemLabel, rowsLabel } from '../pages/item-pages.ts'
import { readParameters } from '../../gis/ogc/parameters.ts'
import { jsonFgMembers, toGeoJsonFeature, toJsonFgFeature } from './features.ts'
import { itemLinks, itemsLinks, refuseLongItemsLinks } from './item-links.ts'
import { readCrs, readProperties } from './items-request.ts'
import { listParameters, parameterNames } from '../collections/parameter-names.ts'
import { readSelection } from './selection.ts'
import { createItemsSender, setContentCrs } from './send-items.ts'

const formats = ['json', 'html', 'jsonfg'] as const

/** A page shows few rows; programs ask for more. */
const HTML_LIMIT_MAX = 1_000

export function addItemRoutes(app: FastifyInstance, services: Services & { readonly maps: FeatureMaps }): void {
  const { db, areas, maps, urls } = services
  const reader = { query: db.read }
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
      const selection = await readSelection(request, parameters, collection, { reader, areas })
      const options = { crs: readCrs(parameters, 'crs'), properties: selection.properties }
      refuseLongItemsLinks(urls, request, collection, format, selection.order)
      const context = { reader, viewer: request.viewer, urls, withPlaceNames }
      if (format === 'html') {
        const page = await collection.readItems(context, { ...selection, limit: Math.min(selection.limit, HTML_LIMIT_MAX) })
        const links = itemsLinks(urls, request, collection, format, page, selection)
        const features = page.features.map((feature) => toGeoJsonFeature(feature, { ...options, crs: crs84 }))
        const map = await maps.ofRows(reader, page.features, rowsLabel(features.length))
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
      const feature = await collection.readItem({ reader, viewer: request.viewer, urls, withPlaceNames }, id)
      if (!feature) throw problems.notFound('the_resource')
      const links = itemLinks(urls, request, collection, id, format)
      if (format === 'html') {
        const map = await maps.ofFeature(reader, feature, itemLabel(feature))
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
