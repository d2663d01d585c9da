import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { type Box, viewBox, type Point, boxCentre, containsBox } from '../../geo/shapes.ts'
import { isPrivate } from '../../http/caching/conditional.ts'
import { svgToPng } from '../../images/svg-to-png.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import { findIssue } from '../../issues/queries.ts'
import { text } from '../../locales/texts.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import type { Services } from '../../services.ts'
import { DIGEST_MAX } from '../../watch-areas/digest-queries.ts'
import { readStreets } from '../basemap/street-tiles.ts'
import { DOT_SHAPES, mapImage, type MapOptions, MAP_WIDTH, NEIGHBOURHOOD_ZOOM } from './drawn/map-svg.ts'
import { streetStyle } from './drawn/street-paths.ts'

/** An issue that is hidden later keeps its map in caches for this time. */
const CACHE_S = 300
const IMAGES_MAX = 100
const WATER = '#f2f6f7'
/** The colours of the style sheet. Mail programs show the image on a light and on a dark ground. */
const STYLE = `${streetStyle({ park: '#d3e6c8', water: '#c3dbe6', side: '#fff', main: '#fff3cf' })}.outline{fill:#e9eeea;fill-rule:evenodd;stroke:#7f9a92;stroke-width:1.5}${DOT_SHAPES}
.open{stroke:#cc4f00}.acknowledged{stroke:#0068b8}.closed{stroke:#00855d}.archived{stroke:#707a85}
.ring{fill:none;stroke:#53606d;stroke-dasharray:3 5;stroke-opacity:.7}.pin path{fill:#0b6176;stroke:#fff;stroke-width:2}.pin circle{fill:#fff}`

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
    const svg = mapImage(map, STYLE + style)
    void reply.header('cache-control', `${isPrivateMap ? 'private' : 'public'}, max-age=${CACHE_S}`)
    return reply.type('image/png').send(await render(svg))
  }

  function render(svg: string): Promise<Buffer> {
    const cached = images.get(svg)
    if (cached) return cached
    const image = svgToPng(svg, WATER)
    images.set(svg, image)
    image.catch(() => images.delete(svg))
    return image
  }
}

const DOTS_MAX = 1_000
const ZOOM = 16
const HEIGHT_SHARE = 0.6

/** A wide picture leaves room for the text of the mail. */
export const flatten = ({ west, east, south, north }: Box, { lat }: Point): Box => ({
  west,
  east,
  south: lat - (lat - south) * HEIGHT_SHARE,
  north: lat + (north - lat) * HEIGHT_SHARE,
})

/** The neighbourhood of a public issue as a picture for mails, which show no SVG. */
export const issueMapImage: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db } = services
  const sendPicture = createMapPictures()

  app.get('/issues/:id/map.png', { schema: { params: IssueParams } }, async (request, reply) => {
    const issue = await findIssue(db, request.params.id, null)
    if (!issue) throw problems.notFound('the_issue')
    return sendPicture(request, reply, await drawNeighbourhood(services, issue, issue.id))
  })
}

/** Returns the map around a pin with the public issues near it. @param hidden the id of an issue that the pin stands for */
export async function drawNeighbourhood(
  services: Pick<Services, 'config' | 'db' | 'readStreetMaps'>,
  pin: Point,
  hidden?: number,
): Promise<MapOptions> {
  const box = flatten(viewBox(pin, ZOOM), pin)
  const { db } = services
  const [streets, outlines, dots] = await Promise.all([
    readStreets(services, box, MAP_WIDTH),
    listOutlinesIn(db, box, MAP_WIDTH),
    listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
  ])
  return {
    label: '',
    centre: pin,
    view: box,
    streets,
    outlines: outlines.map(({ boundary }) => boundary),
    dotsAround: dots.filter(({ id }) => id !== hidden),
    pin,
    labels: { names: [] },
    width: MAP_WIDTH,
  }
}

/** The map of a mail has few dots, which are drawn larger than those of a neighbourhood. */
const DOT_STYLE = '.dots{stroke-width:16;stroke-opacity:.95}'
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
    return sendPicture(request, reply, map, { style: DOT_STYLE })
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
