import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { findPoint } from '../geo/area-query.ts'
import { setLastModified, findLastModified } from '../http/caching/validators.ts'
import { GEOJSON_TYPE, JSON_TYPE, createTypeNegotiator } from '../http/formats/content-types.ts'
import { featurePage, toFeaturePage } from '../http/formats/feature-collection.ts'
import { toMetadata, toPage, queryParameters, withParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith, idMax } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { findPlace, findPlaceByUrlName, onePlaceChangeTimes, listNearestPlaces, type PlaceRow } from './queries.ts'
import { toNearbyPlaceFeature, toPlaceFeature } from './records/present.ts'
import { findPlaceRecords } from './records/queries.ts'
import { NearbyPlaceFeature, PlaceFeature } from './records/schema.ts'
import { ListPlacesQuery, Place, PlaceList, PlaceParams } from './schema.ts'
import { toGeoJsonPoint } from '../geo/shapes.ts'
import type { Urls } from '../http/request/urls.ts'

const negotiateType = createTypeNegotiator([JSON_TYPE, GEOJSON_TYPE])

export const placeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  app.get(
    '/places',
    {
      schema: {
        operationId: 'listPlaces',
        summary: 'List places closest to a point',
        description:
          'Sorted by the distance to the polygon, which is 0 if it covers the point (`contains`); places of equal distance are sorted by area, the smallest first. With `Accept: application/geo+json` the places are features with their boundaries.',
        tags: ['Places'],
        querystring: ListPlacesQuery,
        response: {
          200: {
            description: 'A page of places.',
            content: {
              'application/json': { schema: PlaceList },
              'application/geo+json': { schema: featurePage(NearbyPlaceFeature, 'NearbyPlaceFeaturePage') },
            },
          },
          ...failsWith(400, 422),
        },
      },
    },
    async (request, reply) => {
      const point = await findPoint(request.query, areas)
      if (!point) throw problems.pointMissing()
      const page = toPage(request.query)
      const type = negotiateType(request)
      const { entries, places } = await listNearestPlaces(db.reader, point, page)
      const parameters = queryParameters(request)
      const metadata = toMetadata(urls, '/places', parameters, page, entries)
      if (type === GEOJSON_TYPE) {
        const records = await findPlaceRecords(
          db.reader,
          places.map(({ id }) => id),
        )
        const features = places.flatMap(({ id, contains }) => {
          const record = records.get(id)
          return record ? [toNearbyPlaceFeature(record, contains, urls)] : []
        })
        const self = urls.api(withParameters('/places', parameters))
        return reply.type(type).send(toFeaturePage(features, self, metadata.pagination))
      }
      return { metadata, places: places.map((place) => ({ ...toPlace(place, urls), contains: place.contains })), errors: {} }
    },
  )

  app.get(
    '/places/:id',
    {
      schema: {
        operationId: 'getPlace',
        summary: 'Get a place by id or url_name',
        description:
          'Returns a city, county or other area. Its url_name is the value for place_url of other operations. If a url_name has the form of an id, the id has precedence. With `Accept: application/geo+json` it is a feature with its boundary.',
        tags: ['Places'],
        params: PlaceParams,
        response: {
          200: {
            description: 'The place.',
            content: { 'application/json': { schema: Place }, 'application/geo+json': { schema: PlaceFeature } },
          },
          ...failsWith(404),
        },
      },
    },
    async (request, reply) => {
      const { id: idOrUrlName } = request.params
      const type = negotiateType(request)
      // A url_name may consist of digits, so the id has precedence.
      const id = /^[1-9]\d{0,9}$/.test(idOrUrlName) && Number(idOrUrlName) <= idMax ? Number(idOrUrlName) : undefined
      // A feature names its parent, which another place can become. A number is a url_name once the place with this id is deleted.
      const isDated = type !== GEOJSON_TYPE && id === undefined
      const lastModified = isDated ? await findLastModified(db, onePlaceChangeTimes(idOrUrlName)) : null
      const place =
        (id === undefined ? undefined : await findPlace(db.reader, id)) ?? (await findPlaceByUrlName(db.reader, idOrUrlName))
      const record = place && type === GEOJSON_TYPE ? (await findPlaceRecords(db.reader, [place.id])).get(place.id) : undefined
      if (!place || (type === GEOJSON_TYPE && !record)) throw problems.notFound('the_place')
      setLastModified(reply, lastModified)
      if (record) return reply.type(GEOJSON_TYPE).send(toPlaceFeature(record, urls))
      return toPlace(place, urls)
    },
  )
}

function toPlace(row: PlaceRow, urls: Urls): Place {
  const { id, name, url_name, county, state, place_type } = row
  const avatar = urls.at('/files/icons/place.svg')
  return {
    id,
    name,
    url_name,
    county,
    state,
    center: toGeoJsonPoint({ lng: row.center_lng, lat: row.center_lat }),
    place_type,
    avatar: { full: avatar, square: avatar },
    url: urls.api(`/places/${id}`),
    html_url: urls.at(`/places/${url_name}`),
    html_report_url: urls.at(`/places/${url_name}/report`),
  }
}
