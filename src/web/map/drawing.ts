import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Area } from '../../geo/area.ts'
import { type Box, boxCentre } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
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
import { AREA_FRAME, frameBox } from './drawn/frame-box.ts'
import { drawingHeight, mapImage } from './drawn/map-svg.ts'
import { readOwnArea } from './own-area.ts'
import { ownBox, ownShape } from './shapes.ts'

const WIDTH = 720
/** Dots at the edge of the area are not cut off. */
const FRAME = { padding: 1 / 30, ratios: [0.55, 1] } as const
/** The map page shows the image on a canvas that is nearly square. */
const CANVAS_FRAME = { ...FRAME, ratios: [0.85, 1] } as const
/** More dots are not legible; the newest are drawn. */
export const DOTS_MAX = 3_000
/** Issues around a watch area. */
const DOTS_AROUND_MAX = 1_000

interface DrawnMap {
  readonly path: string
  readonly label: string
  /** The box sets the height, so that the page does not move once the image is loaded. */
  readonly box: Box | undefined
  /** True for a watch area, around which the map shows more. */
  readonly isOwn?: boolean
}

/** Returns the image that the route below serves. */
export const drawnMap = ({ path, label, box, isOwn = false }: DrawnMap): SafeHtml =>
  html`<img class="map" src="${path}" alt="${label}" width="${WIDTH}" height="${drawingHeight(frameBox(box ?? WORLD, isOwn ? AREA_FRAME : FRAME), WIDTH)}" loading="lazy">`

/** The map of a list as an image, for browsers without scripts or WebGL. */
export const drawingRoute: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, areas } = services
  const reader = { query: db.read }
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/map/drawing.svg', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const own = query.watch_area === undefined ? undefined : await readOwnArea(db, query.watch_area, viewer)
    const sources = { reader, areas, area: own && rowToArea(own) }
    const { filter, area } = await parseListQuery(sources, query, { page: 1, perPage: 1 }, viewer)
    const box = frameBox(await findBox(area, own), own ? AREA_FRAME : area.kind === 'place' ? FRAME : CANVAS_FRAME)
    const [ground, streets, outlines, names, dots, near] = await Promise.all([
      readGround(box, WIDTH),
      readStreets(services, box, WIDTH),
      listOutlinesIn(reader, box, WIDTH),
      listPlaceNamesIn(reader, box),
      listIssueDots(reader, filter, DOTS_MAX),
      own ? listIssueDots(reader, { ...filter, area: { kind: 'box', box } }, DOTS_AROUND_MAX) : [],
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
      width: WIDTH,
    })
    return reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', drawingPolicy).send(image)
  })

  async function findBox(area: Area, own: OwnRow | undefined) {
    if (own) return ownBox(own)
    if (area.kind === 'box') return area.box
    return (await findPlaceBounds(reader, area.kind === 'place' ? area.placeId : undefined)) ?? WORLD
  }
}

/** The image has a style sheet of its own, since it cannot use that of the page. */
export const drawingPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
const WORLD = { west: -179.9, south: -60, east: 179.9, north: 75 }
