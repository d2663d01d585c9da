import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import packageJson from '../../package.json' with { type: 'json' }
import { findPoint } from '../geo/area-query.ts'
import { setValidatorsIfNotModified, setValidators } from '../http/caching/conditional.ts'
import { findLastModified } from '../http/caching/last-modified.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith, idMax } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { toPlace } from './present.ts'
import { findPlace, findPlaceByUrlName, onePlaceChangeTimes, placeChangeTimes, listNearestPlaces } from './queries.ts'
import { ListPlacesQuery, Place, PlaceList, PlaceParams } from './schema.ts'
import { findPlacesVersion } from './version.ts'

export const placeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  const reader = { query: db.read }

  app.get(
    '/places',
    {
      schema: {
        operationId: 'listPlaces',
        summary: 'List places closest to a point',
        description:
          'Sorted by the distance to the polygon, which is 0 if it covers the point (`contains`); places of equal distance are sorted by area, the smallest first.',
        tags: ['Places'],
        querystring: ListPlacesQuery,
        response: { 200: PlaceList, ...failsWith(400, 422) },
      },
    },
    async (request, reply) => {
      const point = await findPoint(request.query, areas)
      if (!point) throw problems.pointMissing()
      const page = toPage(request.query)
      const version = await findPlacesVersion(reader)
      const validators = version === undefined ? {} : { etagParts: [...representationKey(request), version, point.lng, point.lat] }
      if (setValidatorsIfNotModified(request, reply, validators)) return reply.notModified()

      // An address has no Last-Modified because the geocoder does not report changes.
      const lastModified = request.query.address === undefined ? await findLastModified(db, placeChangeTimes) : null
      const { entries, places } = await listNearestPlaces(reader, point, page)
      setValidators(request, reply, { ...validators, lastModified })
      const metadata = toMetadata(urls, '/places', queryParameters(request), page, entries)
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
          'Returns a city, county or other area. Its url_name is the value for place_url of other operations. If a url_name has the form of an id, the id has precedence.',
        tags: ['Places'],
        params: PlaceParams,
        response: { 200: Place, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id: idOrUrlName } = request.params
      const version = await findPlacesVersion(reader)
      const validators = version === undefined ? {} : { etagParts: [...representationKey(request), version] }
      if (setValidatorsIfNotModified(request, reply, validators)) return reply.notModified()

      // A url_name may consist of digits, so the id has precedence.
      const id = /^[1-9]\d{0,9}$/.test(idOrUrlName) && Number(idOrUrlName) <= idMax ? Number(idOrUrlName) : undefined
      const lastModified = await findLastModified(db, onePlaceChangeTimes(id, idOrUrlName))
      const place = (id === undefined ? undefined : await findPlace(reader, id)) ?? (await findPlaceByUrlName(reader, idOrUrlName))
      if (!place) throw problems.notFound('the_place')
      setValidators(request, reply, { ...validators, lastModified })
      return toPlace(place, urls)
    },
  )

  function representationKey({ url }: FastifyRequest) {
    return [url, packageJson.version, urls.root]
  }
}
