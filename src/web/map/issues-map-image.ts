import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Type from 'typebox'

import { problems, orNotFound } from '../../errors/problems.ts'
import type { Box, Point } from '../../geo/shapes.ts'
import { isPrivate } from '../../http/caching/conditional.ts'
import { svgToPng } from '../../images/svg-to-png.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import { findIssue } from '../../issues/queries.ts'
import { text } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { DIGEST_MAX } from '../../watch-areas/digest-queries.ts'
import { fitView, NEIGHBOURHOOD_ZOOM, pictureBox } from './drawn/drawn-view.ts'
import { type MapSources, readMapLayers } from './drawn/map-layers.ts'
import { mapImage, type MapOptions, PICTURE_GROUND, PICTURE_STYLE } from './drawn/map-svg.ts'
import { boxOfPoints } from './shapes.ts'

/** An issue that is hidden later keeps its map in caches for this time. */
const CACHE_S = 300
const IMAGES_MAX = 100
type SendMapPicture = (
  request: FastifyRequest,
  reply: FastifyReply,
  map: MapOptions,
  options?: { readonly style?: string; readonly isPrivate?: boolean },
) => Promise<FastifyReply>

/** Returns a function that sends a map as a PNG, because mail programs show no SVG. Many recipients of a mail open the same map. */
export function createMapPictures(): SendMapPicture {
  const images = new LRUCache<string, Promise<Buffer>>({ max: IMAGES_MAX })

  return async (request, reply, map, { style = '', isPrivate: isPrivateMap = isPrivate(request) } = {}) => {
    const svg = mapImage(map, PICTURE_STYLE + style)
    void reply.header('cache-control', `${isPrivateMap ? 'private' : 'public'}, max-age=${CACHE_S}`)
    return reply.type('image/png').send(await render(svg))
  }

  function render(svg: string): Promise<Buffer> {
    const cached = images.get(svg)
    if (cached) return cached
    const image = svgToPng(svg, PICTURE_GROUND)
    images.set(svg, image)
    image.catch(() => images.delete(svg))
    return image
  }
}

const DOTS_MAX = 1_000
const ZOOM = 14.5

/** The neighbourhood of a public issue as a picture for mails, which show no SVG. */
export const issueMapImage: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db } = services
  const sendPicture = createMapPictures()

  app.get('/issues/:id/map.png', { schema: { params: IssueParams } }, async (request, reply) => {
    const issue = orNotFound(await findIssue(db, request.params.id, null), 'the_issue')
    return sendPicture(request, reply, await drawNeighbourhood(services, issue, issue.id))
  })
}

/** Returns the map around a pin with the public issues near it. @param hidden the id of an issue that the pin stands for */
export async function drawNeighbourhood(
  services: MapSources & Pick<Services, 'db'>,
  pin: Point,
  hidden?: number,
): Promise<MapOptions> {
  const box = pictureBox({ zoom: ZOOM, centre: pin })
  const { db } = services
  const [layers, dots] = await Promise.all([
    readMapLayers(services, box),
    listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
  ])
  return {
    label: '',
    ...layers,
    dotsAround: dots.filter(({ id }) => id !== hidden),
    pin,
    labels: { names: [] },
  }
}

/** The map of a mail has few dots, which are drawn larger than those of a neighbourhood. */
const DOT_STYLE = '.dots{stroke-width:16;stroke-opacity:.95}'
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
    if (issues.length === 0) throw problems.notFound('the_issue')
    const map = { label: '', ...(await readMapLayers(services, boxOfPicture(issues))), dots: issues }
    return sendPicture(request, reply, map, { style: DOT_STYLE })
  })
}

const isStoredId = (id: number) => id <= 2_147_483_647

/** The dots keep this distance from the edge of the picture, as a share of its width. */
const MARGIN = 0.17

/** Returns the smallest box of a picture with all points, but not a smaller one than that of a neighbourhood. */
export const boxOfPicture = (points: readonly Point[]): Box =>
  pictureBox(fitView(boxOfPoints(points), NEIGHBOURHOOD_ZOOM, 1 - 2 * MARGIN))
