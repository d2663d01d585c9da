import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { orNotFound } from '../../errors/problems.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import type { Area } from '../../geo/area.ts'
import { formatDifference } from '../../html/format.ts'
import { createLinks } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { sendJson } from '../../http/caching/conditional.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import { toIssue } from '../../issues/present.ts'
import { findIssue } from '../../issues/queries.ts'
import { findPlaceBounds, listPlaceNamesIn } from '../../places/outline-queries.ts'
import type { Services } from '../../services.ts'
import { rowToArea } from '../../watch-areas/queries.ts'
import { DRAWN_HEIGHT, DRAWN_WIDTH, fitView, parseView, viewToBox } from './drawn/drawn-view.ts'
import { readMapLayers } from './drawn/map-layers.ts'
import { drawingPolicy, mapImage } from './drawn/map-svg.ts'
import { MapQuery } from './filter-form.ts'
import { readOwnArea, ownBox, ownShape } from './shapes.ts'

/** More dots are not legible; the newest are drawn. */
export const DOTS_MAX = 3_000
/** Issues around a watch area. */
const DOTS_AROUND_MAX = 1_000

interface DrawnMap {
  readonly path: string
  readonly label: string
}

/** Returns the image that the route below serves. The page does not move once it is loaded. */
export const drawnMap = ({ path, label }: DrawnMap): SafeHtml =>
  html`<img class="map" src="${path}" alt="${label}" width="${DRAWN_WIDTH}" height="${DRAWN_HEIGHT}" loading="lazy">`

/** The map of a list as an image, for browsers without scripts or WebGL. */
export const drawingRoute: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, areas } = services
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/map/drawing.svg', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const own = query.watch_area === undefined ? undefined : await readOwnArea(db, query.watch_area, viewer)
    const sources = { reader: db.reader, areas, area: own && rowToArea(own) }
    const { filter, area } = await parseListQuery(sources, query, { page: 1, perPage: 1 }, viewer)
    const view = parseView(query.view ?? '')
    const box = viewToBox(view ?? fitView(own ? ownBox(own) : await findBox(area)))
    const [layers, names, dots, near] = await Promise.all([
      readMapLayers(services, box),
      listPlaceNamesIn(db.reader, box),
      listIssueDots(db.reader, filter, DOTS_MAX),
      own ? listIssueDots(db.reader, { ...filter, area: { kind: 'box', box } }, DOTS_AROUND_MAX) : [],
    ])
    const ids = new Set(dots.map(({ id }) => id))
    const image = mapImage({
      label: '',
      ...layers,
      ...(own ? { areas: [{ shape: ownShape(own) }] } : {}),
      dots,
      dotsAround: near.filter(({ id }) => !ids.has(id)),
      labels: { names },
    })
    return reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', drawingPolicy).send(image)
  })

  async function findBox(area: Area) {
    return area.kind === 'box' ? area.box : findPlaceBounds(db.reader, area.kind === 'place' ? area.placeId : undefined)
  }
}

/**
 * The public issue of a pin, for the card next to it. The page does not ask the API, whose limit of requests blocks a client: a pointer
 * crosses many pins.
 */
export const pinnedIssues: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  const { relative } = createLinks(urls)
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/map/issues/:id', { schema: { params: IssueParams } }, (request, reply) => sendPinned(request, reply, request.params.id))

  /** The newest issue of an area with the filters of the map. */
  app.get('/map/issues', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const { filter } = await parseListQuery({ reader: db.reader, areas }, query, { page: 1, perPage: 1 }, viewer)
    const [newest] = await listIssueDots(db.reader, filter, 1)
    return sendPinned(request, reply, newest?.id)
  })

  async function sendPinned(request: FastifyRequest, reply: FastifyReply, id: number | undefined) {
    const row = orNotFound(id === undefined ? undefined : await findIssue(db.reader, id, null), 'the_issue')
    const { status, summary, lng, lat, media, created_at } = toIssue(row, urls)
    const image = relative(media.image_square_100x100 ?? media.representative_image_url)
    const age = formatDifference(Date.parse(created_at) - clock().getTime(), pageLanguage(request))
    return sendJson(reply, JSON.stringify({ id, status, summary, lng, lat, image, age }))
  }
}
