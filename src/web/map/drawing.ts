import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Area } from '../../geo/area.ts'
import { boxCentre } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { findPlaceBounds, listOutlinesIn, listPlaceNamesIn } from '../../places/outline-queries.ts'
import { rowToArea } from '../../watch-areas/stored-area.ts'
import type { Services } from '../../services.ts'
import { readStreets } from '../basemap/demo-streets.ts'
import { readGround } from '../basemap/land.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { MapQuery } from './map-query.ts'
import { DRAWN_HEIGHT, DRAWN_WIDTH, fitView, parseView, viewToBox } from './drawn/drawn-view.ts'
import { AREA_FRAME, frameBox } from './drawn/frame-box.ts'
import { drawingPolicy, mapImage } from './drawn/map-svg.ts'
import { readOwnArea } from './own-area.ts'
import { ownBox, ownShape } from './shapes.ts'

/** More dots are not legible; the newest are drawn. */
export const DOTS_MAX = 3_000
/** Issues around a watch area. */
const DOTS_AROUND_MAX = 1_000

interface DrawnMap {
  readonly path: string
  readonly label: string
  /** True for a watch area, around which the map shows more. */
  readonly isOwn?: boolean
}

/** Returns the image that the route below serves. The page does not move once it is loaded. */
export const drawnMap = ({ path, label, isOwn = false }: DrawnMap): SafeHtml =>
  html`<img class="map" src="${path}" alt="${label}" width="${DRAWN_WIDTH}" height="${isOwn ? AREA_FRAME.ratios[0] * DRAWN_WIDTH : DRAWN_HEIGHT}" loading="lazy">`

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
    const box = own && !view ? frameBox(ownBox(own), AREA_FRAME) : viewToBox(view ?? fitView(await findBox(area)))
    const [ground, streets, outlines, names, dots, near] = await Promise.all([
      readGround(box, DRAWN_WIDTH),
      readStreets(services, box, DRAWN_WIDTH),
      listOutlinesIn(db.reader, box, DRAWN_WIDTH),
      listPlaceNamesIn(db.reader, box),
      listIssueDots(db.reader, filter, DOTS_MAX),
      own ? listIssueDots(db.reader, { ...filter, area: { kind: 'box', box } }, DOTS_AROUND_MAX) : [],
    ])
    const ids = new Set(dots.map(({ id }) => id))
    const image = mapImage({
      label: '',
      centre: boxCentre(box),
      view: box,
      ground,
      streets,
      outlines: outlines.map(({ boundary }) => boundary),
      ...(own ? { areas: [{ shape: ownShape(own) }] } : {}),
      dots,
      dotsAround: near.filter(({ id }) => !ids.has(id)),
      labels: { names },
      width: DRAWN_WIDTH,
    })
    return reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', drawingPolicy).send(image)
  })

  async function findBox(area: Area) {
    return area.kind === 'box' ? area.box : findPlaceBounds(db.reader, area.kind === 'place' ? area.placeId : undefined)
  }
}
