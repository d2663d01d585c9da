import type { FastifyInstance } from 'fastify'
import type { Feature, MultiPolygon } from 'geojson'

import { GEOJSON_TYPE } from '../../http/formats/content-types.ts'
import { toFeaturePage } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import { idMax } from '../../http/schema/fields.ts'
import { type ServiceAreaRow, findServiceAreaGeometries, listServiceAreas } from '../../request-types/queries.ts'
import type { Services } from '../../services.ts'
import { formatPageLinks, pageUrl } from '../formats/send.ts'
import { knownParameters, readInteger, readParameters, readPoint } from '../input/body.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'

/** Returns no feature for an organisation that has been deleted since its row was read. */
function toAreaFeature(
  { id, name, request_type_ids }: ServiceAreaRow,
  geometry: MultiPolygon | undefined,
  urls: Urls,
): readonly Feature<MultiPolygon>[] {
  if (!geometry) return []
  const properties = {
    jurisdiction_id: name,
    url: urls.at(`/open311/v2/${id}`),
    service_codes: request_type_ids.map(String),
  }
  return [{ type: 'Feature', id, geometry, properties }]
}

/** Returns the address of the areas of an endpoint. @param path the path of the endpoint below `/open311/v2` */
export const areasUrl = (urls: Urls, path: string): string => urls.at(`/open311/v2${path}/areas.geojson`)

const options = { config: knownParameters(['lat', 'long', 'after_id']) }

/** GET the areas of the organisations as GeoJSON: in which region which services can be requested. */
export function addAreaRoutes(app: FastifyInstance, { db, urls }: Services): void {
  for (const root of roots) {
    app.get(`${root}/areas.geojson`, options, async (request, reply) => {
      const parameters = readParameters(request)
      const afterId = readInteger(parameters, 'after_id', { min: 0, max: idMax }) ?? 0
      const jurisdiction = await findJurisdiction(db.reader, request, parameters)
      const areas = await listServiceAreas(db.reader, { organizationId: jurisdiction?.id, point: readPoint(parameters) })
      const rest = areas.filter(({ id }) => id > afterId)
      const rows = takePage(rest)
      const geometries = await findServiceAreaGeometries(
        db.reader,
        rows.map(({ id }) => id),
      )
      const features = rows.flatMap((row) => toAreaFeature(row, geometries.get(row.id), urls))
      const urlAfter = (id: number) => pageUrl(urls, request, { after_id: id > 0 ? String(id) : '' })
      const lastId = rows.at(-1)?.id
      const next = lastId !== undefined && rows.length < rest.length ? urlAfter(lastId) : null
      const self = urlAfter(afterId)
      const pagination = { entries: areas.length, next_page_url: next, previous_page_url: null }
      return reply
        .headers({
          link: formatPageLinks(next === null ? [] : [['next', next]]),
          'x-total-count': areas.length,
        })
        .type(GEOJSON_TYPE)
        .serializer((body: unknown) => JSON.stringify(body))
        .send(toFeaturePage(features, self, pagination))
    })
  }
}

/** Limit for the areas of a page in the table, where they are compressed: as GeoJSON they have up to ten times as many bytes. */
const STORED_BYTES_MAX = 1_000_000

/** Returns the first areas that fit into a page; the first one always does, so that every page makes progress. */
export function takePage(areas: readonly ServiceAreaRow[], bytesMax: number = STORED_BYTES_MAX): readonly ServiceAreaRow[] {
  let bytes = 0
  const end = areas.findIndex(({ stored_bytes }, index) => {
    bytes += stored_bytes
    return index > 0 && bytes > bytesMax
  })
  return end === -1 ? areas : areas.slice(0, end)
}
