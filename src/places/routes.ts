import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import packageJson from '../../package.json' with { type: 'json' }
import { findPoint } from '../geo/area-query.ts'
import { isFresh, isFreshBeforeRead } from '../http/caching/conditional.ts'
import { findLastChange } from '../http/caching/last-modified.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith, idMax } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { toPlace } from './present.ts'
import { findPlace, findPlaceByUrlName, placeChangedAt, placesChangedAt, listNearestPlaces } from './queries.ts'
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
          'Nearest first: by distance to the polygon, 0 where it covers the point, which `contains` says; among equals the smallest area first.',
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
      const dependencies = version === undefined ? {} : { etag: [...representationKey(request), version, point.lng, point.lat] }
      if (isFreshBeforeRead(request, reply, dependencies)) return reply.notModified()

      // An address has no Last-Modified because the geocoder does not report changes.
      const lastModified = request.query.address === undefined ? await findLastChange(db, placesChangedAt) : null
      const { entries, places } = await listNearestPlaces(reader, point, page)
      isFresh(request, reply, { ...dependencies, lastModified })
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
          'A city, county or other area. Its url_name goes into place_url of other calls; where a name looks like an id, the id wins.',
        tags: ['Places'],
        params: PlaceParams,
        response: { 200: Place, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id: idOrUrlName } = request.params
      const version = await findPlacesVersion(reader)
      const known = version === undefined ? {} : { etag: [...representationKey(request), version] }
      if (isFreshBeforeRead(request, reply, known)) return reply.notModified()

      // A url_name may consist of digits, so the id has precedence.
      const id = /^[1-9]\d{0,9}$/.test(idOrUrlName) && Number(idOrUrlName) <= idMax ? Number(idOrUrlName) : undefined
      const lastModified = await findLastChange(db, placeChangedAt(id, idOrUrlName))
      const place = (id === undefined ? undefined : await findPlace(reader, id)) ?? (await findPlaceByUrlName(reader, idOrUrlName))
      if (!place) throw problems.notFound('the_place')
      isFresh(request, reply, { ...known, lastModified })
      return toPlace(place, urls)
    },
  )

  /** The response also depends on the release and on the root of its links. */
  function representationKey({ url }: FastifyRequest) {
    return [url, packageJson.version, urls.root]
  }
}
