import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest, FastifyPluginAsync } from 'fastify'
import type { Feature, FeatureCollection } from 'geojson'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import Type from 'typebox'

import type { TileSource } from '../../basemap/pmtiles-file.ts'
import { orNotFound } from '../../errors/problems.ts'
import { languages } from '../../locales/texts.ts'
import { listOutlines, listPlaceLabels, type PlaceLabel } from '../../places/outline-queries.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import { PlaceParams } from '../../places/schema.ts'
import type { Services } from '../../services.ts'
import { createAtlas } from './atlas.ts'
import type { BaseMap } from './base-map.ts'
import { schemes } from './styles.ts'

const OUTLINES_MAX = 200
const LABELS_MAX = 1_000
/** Details of places that are smaller than this fraction of their width are left out. */
const OUTLINE_PIXELS = 1_500

const NamesQuery = Type.Object({
  language: Type.Optional(Type.Union(languages.map((language) => Type.Literal(language)))),
})

const StyleQuery = Type.Object({
  ...NamesQuery.properties,
  scheme: Type.Optional(Type.Union(schemes.map((scheme) => Type.Literal(scheme)))),
  /** The own base map, also if another one is configured. */
  own: Type.Optional(Type.Literal('true')),
})

const OutlineQuery = Type.Object({ place_url: PlaceParams.properties.id })

/** The style of the base map; and land, borders and places of this service, of which the own base map consists. Coordinates are lng, lat. */
export const baseMapRoutes: FastifyPluginAsyncTypebox<Services & { readonly baseMap: BaseMap }> = async (app, { db, baseMap }) => {
  const atlas = createAtlas()

  app.get('/map/style.json', { schema: { querystring: StyleQuery } }, async (request, reply) => {
    const { scheme = 'light', language = 'en', own } = request.query
    const style = own === undefined ? await baseMap.style(scheme, language) : await baseMap.offlineStyle(scheme, language)
    return reply.header('cache-control', 'public, max-age=600').send(style)
  })
  app.get('/map/land.json', async (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=604800', 'content-type': GEOJSON }).send(await atlas.land()),
  )
  app.get('/map/borders.json', async (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=604800', 'content-type': GEOJSON }).send(await atlas.borders()),
  )
  app.get('/map/names.json', { schema: { querystring: NamesQuery } }, async (request, reply) => {
    const { language = 'en' } = request.query
    return reply.headers({ 'cache-control': 'public, max-age=604800', 'content-type': GEOJSON }).send(await atlas.names(language))
  })

  app.get('/map/places.json', async (request, reply) => {
    const places = await listPlaceLabels(db.reader, LABELS_MAX)
    const main = places.filter(({ is_main }) => is_main).slice(0, OUTLINES_MAX)
    const outlines = await listOutlines(
      db.reader,
      main.map(({ id }) => id),
      OUTLINE_PIXELS,
    )
    const features: Feature[] = [
      ...outlines.map(({ id, boundary }): Feature => ({ type: 'Feature', id, geometry: boundary, properties: {} })),
      ...toPlaceLabels(places, await atlas.regionNames()),
    ]
    return sendFeatures(request, reply, features)
  })

  app.get('/map/outline.json', { schema: { querystring: OutlineQuery } }, async (request, reply) => {
    const place = orNotFound(await findPlaceByUrlName(db.reader, request.query.place_url), 'the_place')
    const outlines = await listOutlines(db.reader, [place.id], OUTLINE_PIXELS)
    return sendFeatures(
      request,
      reply,
      outlines.map(({ id, boundary }): Feature => ({ type: 'Feature', id, geometry: boundary, properties: {} })),
    )
  })
}

function sendFeatures(request: FastifyRequest, reply: FastifyReply, features: Feature[]) {
  const body = JSON.stringify({ type: 'FeatureCollection', features } satisfies FeatureCollection)
  return reply.type(GEOJSON).send(body)
}

const GEOJSON = 'application/geo+json; charset=utf-8'

/** A place other than a city is named as soon as it is this wide on the map. */
const PIXELS_MIN = 100
const WORLD_PIXELS = 512
const EQUATOR_M = 2 * Math.PI * 6_378_137
/** Places of the same size, within this ratio, with their middles within their width are one: a county often has the shape of its city. */
const SIZE_RATIO = 0.8

/** Returns the names of places at their middles, without those of `regionNames`, which the base map has itself. */
function toPlaceLabels(places: readonly PlaceLabel[], regionNames: ReadonlySet<string>): Feature[] {
  const cities = places.filter(({ is_main }) => is_main)
  const others = places.filter((place) => !place.is_main && !regionNames.has(place.name))
  return [...cities, ...others.filter((place) => !cities.some((city) => isAlike(city, place)))].map(
    ({ id, name, center_lng, center_lat, area_m2, is_main }): Feature => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [center_lng, center_lat] },
      properties: {
        kind: is_main ? 'city' : 'district',
        name,
        rank: -Math.round(area_m2 / 1e6),
        zoom: zoomOfWidth(Math.sqrt(area_m2), center_lat),
      },
    }),
  )
}

/** Returns the zoom from which so many metres have `PIXELS_MIN` pixels. */
function zoomOfWidth(width_m: number, lat: number): number {
  const metresPerPixel = (EQUATOR_M * Math.cos((lat * Math.PI) / 180)) / WORLD_PIXELS
  return Math.max(0, Math.round(Math.log2((PIXELS_MIN * metresPerPixel) / Math.max(width_m, 1))))
}

function isAlike(a: PlaceLabel, b: PlaceLabel): boolean {
  const ratio = Math.min(a.area_m2, b.area_m2) / Math.max(a.area_m2, b.area_m2)
  const width_degrees = (Math.sqrt(a.area_m2) / EQUATOR_M) * 360
  const distance = Math.hypot(a.center_lng - b.center_lng, a.center_lat - b.center_lat)
  return ratio > SIZE_RATIO && distance < width_degrees
}

const decompress = promisify(gunzip)
const WEEK_S = 604_800
const MVT = 'application/vnd.mapbox-vector-tile'

interface TilePath {
  readonly z: string
  readonly x: string
  readonly y: string
}

/** Serves the tiles of the base map: 204 where the source has no tile, 404 for addresses that no tile can have. */
export const baseMapTileRoutes: FastifyPluginAsync<{ readonly tiles: TileSource }> = async (app, { tiles }) => {
  app.get<{ Params: TilePath }>('/basemap/:z/:x/:y.mvt', { compress: false }, async (request, reply) => {
    const { z, x, y } = request.params
    const address = [z, x, y].map(Number)
    const [zoom = 0, column = 0, row = 0] = address
    const isTile = [z, x, y].every((part) => /^\d{1,8}$/.test(part)) && zoom <= 26 && column < 2 ** zoom && row < 2 ** zoom
    if (!isTile) return reply.callNotFound()
    const tile = await tiles.readTile(zoom, column, row)
    void reply.headers({ 'cache-control': `public, max-age=${WEEK_S}`, vary: 'Accept-Encoding' })
    if (!tile) return reply.code(204).send()
    void reply.type(MVT)
    if (!tiles.isGzip) return reply.send(tile)
    if (request.accepts().encoding(['gzip', 'identity']) !== 'gzip') return reply.send(await decompress(tile))
    return reply.header('content-encoding', 'gzip').send(tile)
  })
}
