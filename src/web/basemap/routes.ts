import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feature, FeatureCollection, Geometry } from 'geojson'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { languages } from '../../errors/texts/languages.ts'
import { createLinks } from '../../html/links.ts'
import { isNotModified, setValidators } from '../../http/caching/conditional.ts'
import { listOutlines } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, listMainPlaces } from '../../places/queries.ts'
import { PlaceParams } from '../../places/schema.ts'
import type { Services } from '../../services.ts'
import type { BaseMap } from './base-map.ts'
import { once, readBorders, readLand } from './land.ts'
import { schemes } from './offline-style.ts'

const PLACES_MAX = 200
/** Details of places that are smaller than this fraction of their width are left out. */
const OUTLINE_PIXELS = 1_500
/** About 100 m. */
const LAND_DECIMALS = 3

const StyleQuery = Type.Object({
  scheme: Type.Optional(Type.Union(schemes.map((scheme) => Type.Literal(scheme)))),
  language: Type.Optional(Type.Union(languages.map((language) => Type.Literal(language)))),
  /** The own base map, also if another one is configured. */
  own: Type.Optional(Type.Literal('true')),
})

const OutlineQuery = Type.Object({ place_url: PlaceParams.properties.id })

/** The style of the base map; and land, borders and places of this service, of which the own base map consists. Coordinates are lng, lat. */
export const baseMapRoutes: FastifyPluginAsyncTypebox<Services & { readonly baseMap: BaseMap }> = async (
  app,
  { db, urls, baseMap },
) => {
  const reader = { query: db.read }
  const { to } = createLinks(urls)
  const land = once(async () => toText(await readLand()))
  const borders = once(async () => toText(await readBorders()))

  app.get('/map/style.json', { schema: { querystring: StyleQuery } }, async (request, reply) => {
    const { scheme = 'light', language = 'en', own } = request.query
    const style = own === undefined ? await baseMap.style(scheme, language) : baseMap.offlineStyle(scheme)
    return reply.header('cache-control', 'public, max-age=600').send(style)
  })
  app.get('/map/land.json', async (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=604800', 'content-type': GEOJSON }).send(await land()),
  )
  app.get('/map/borders.json', async (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=604800', 'content-type': GEOJSON }).send(await borders()),
  )

  app.get('/map/places.json', async (request, reply) => {
    const places = await listMainPlaces(reader, PLACES_MAX)
    const outlines = await listOutlines(
      reader,
      places.map(({ id }) => id),
      OUTLINE_PIXELS,
    )
    const features: Feature[] = [
      ...outlines.map(({ id, boundary }): Feature => ({ type: 'Feature', id, geometry: boundary, properties: {} })),
      ...places.map(({ id, name, url_name, center_lng, center_lat }): Feature => ({
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [center_lng, center_lat] },
        properties: { name, href: to(`/places/${url_name}`) },
      })),
    ]
    return sendFeatures(request, reply, features)
  })

  app.get('/map/outline.json', { schema: { querystring: OutlineQuery } }, async (request, reply) => {
    const place = await findPlaceByUrlName(reader, request.query.place_url)
    if (!place) throw problems.notFound('the_place')
    const outlines = await listOutlines(reader, [place.id], OUTLINE_PIXELS)
    return sendFeatures(
      request,
      reply,
      outlines.map(({ id, boundary }): Feature => ({ type: 'Feature', id, geometry: boundary, properties: {} })),
    )
  })
}

function sendFeatures(request: FastifyRequest, reply: FastifyReply, features: Feature[]) {
  const body = JSON.stringify({ type: 'FeatureCollection', features } satisfies FeatureCollection)
  setValidators(request, reply, { etagParts: [body] })
  if (isNotModified(request, reply)) return reply.code(304).send()
  return reply.type(GEOJSON).send(body)
}

const GEOJSON = 'application/geo+json; charset=utf-8'

/** Returns a collection as JSON with rounded coordinates. */
function toText(geometries: readonly Geometry[]): string {
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }))
  const factor = 10 ** LAND_DECIMALS
  return JSON.stringify({ type: 'FeatureCollection', features }, (_key, value: unknown) =>
    typeof value === 'number' ? Math.round(value * factor) / factor : value,
  )
}
