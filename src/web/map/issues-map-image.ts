import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { type Box, boxCentre, containsBox, viewBox } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import type { Services } from '../../services.ts'
import { DIGEST_MAX } from '../../watch-areas/digest-content-queries.ts'
import { readStreets } from '../basemap/demo-streets.ts'
import { flatten } from './issue-map-image.ts'
import { createMapPictures } from './map-picture.ts'
import { MAP_WIDTH, NEIGHBOURHOOD_ZOOM } from './drawn/map-svg.ts'

/** The map of a mail has few dots, which are drawn larger than those of a neighbourhood. */
const STYLE = '.dots{stroke-width:16;stroke-opacity:.95}'
const ZOOM_STEP = 0.25
/** The dots keep this distance from the edge of the picture, in levels of zoom. */
const MARGIN_ZOOM = 0.4

const Query = Type.Object({
  ids: Type.String({
    pattern: `^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,${DIGEST_MAX - 1}}$`,
    'x-allowed': text('issue_ids', { max: DIGEST_MAX }),
  }),
})

/**
 * The issues of a digest as a picture for mails. Its address names public issues and nothing of the watch area, which is private:
 * mail programs and their proxies open the address without a login.
 */
export const issuesMapImage: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db } = services
  const sendPicture = createMapPictures()

  app.get('/issues/map.png', { schema: { querystring: Query } }, async (request, reply) => {
    const ids = request.query.ids.split(',').map(Number).filter(isStoredId)
    const issues = await db.prisma.issue.findMany({
      where: { id: { in: ids }, moderation_state: 'passed' },
      select: { id: true, lng: true, lat: true, status: true },
      orderBy: { id: 'asc' },
    })
    const [first, ...others] = issues
    if (!first) throw problems.notFound('the_issue')
    const { centre, box } = fit(first, others)
    const [outlines, streets] = await Promise.all([listOutlinesIn(db, box, MAP_WIDTH), readStreets(services, box, MAP_WIDTH)])
    const shapes = { outlines: outlines.map(({ boundary }) => boundary), streets, dots: issues }
    const map = { label: '', centre, view: box, ...shapes, width: MAP_WIDTH }
    return sendPicture(request, reply, map, { style: STYLE })
  })
}

const isStoredId = (id: number) => id <= 2_147_483_647

/** Returns the smallest view with all points, but not a smaller one than that of a neighbourhood. */
export function fit(first: Point, others: readonly Point[]): { readonly centre: Point; readonly box: Box } {
  const points = [first, ...others]
  const offsets = points.map(({ lng }) => wrap(lng - first.lng))
  const lats = points.map(({ lat }) => lat)
  const bounds = {
    west: wrap(first.lng + Math.min(...offsets)),
    east: wrap(first.lng + Math.max(...offsets)),
    south: Math.min(...lats),
    north: Math.max(...lats),
  }
  const centre = boxCentre(bounds)
  const viewAt = (zoom: number) => flatten(viewBox(centre, zoom), centre)
  for (let zoom = NEIGHBOURHOOD_ZOOM; zoom > 0; zoom -= ZOOM_STEP)
    if (containsBox(viewAt(zoom + MARGIN_ZOOM), bounds)) return { centre, box: viewAt(zoom) }
  return { centre, box: viewBox(centre, 0) }
}

/** Returns a longitude from -180 to 180. */
const wrap = (lng: number) => ((((lng + 180) % 360) + 360) % 360) - 180
