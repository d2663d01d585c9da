import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { orNotFound } from '../../../errors/problems.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { listIssueAddresses, listIssueDots } from '../../../issues/list/overview.ts'
import { listPlaceNamesIn } from '../../../places/outline-queries.ts'
import type { Services } from '../../../services.ts'
import { readMapLayers } from '../../map/drawn/map-layers.ts'
import { drawingPolicy, IMAGE_STYLE, mapImage } from '../../map/drawn/map-svg.ts'
import { type DrawnView, parsePin, parseView, pixelsInView, viewToBox } from '../../map/drawn/drawn-view.ts'

export const POINT_DRAWING_PATH = '/report/map.svg'

const DOTS_MAX = 1_000
const ADDRESS_ZOOM_MIN = 14
const ADDRESSES_MAX = 60
const STYLE = `${IMAGE_STYLE}
.dots{stroke-opacity:.55}
.cross{fill:none;stroke:var(--ink);stroke-width:2}.halo{fill:none;stroke:var(--paper);stroke-width:6;stroke-opacity:.8}
text.address{font-size:14px;font-weight:400}`

/** The drawing is shown at about half of its size. */
const LARGE_STYLE = `${STYLE}
text{font-size:34px;stroke-width:7}text:is(.address,.street){font-size:27px}.dots{stroke-width:9}.cross{stroke-width:4}.halo{stroke-width:11}`
const LARGE_FACTOR = 1.9

const Query = Type.Object({
  view: Type.String(),
  pin: Type.Optional(Type.String()),
  cross: Type.Optional(Type.Boolean()),
  /** A small image has larger texts. */
  large: Type.Optional(Type.Boolean()),
})

/** The drawn map on which a point is chosen: places with their names, issues near, the chosen point, and a cross in the middle. */
export const pointDrawing: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db } = services

  app.get(POINT_DRAWING_PATH, { schema: { querystring: Query } }, async (request, reply) => {
    const { cross: hasCross = false, large = false } = request.query
    const view = orNotFound(parseView(request.query.view), 'this_address')
    const pin = parsePin(request.query.pin ?? '')
    const box = viewToBox(view)
    const filter = { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] } as const
    const [layers, names, dots, addresses] = await Promise.all([
      readMapLayers(services, box),
      listPlaceNamesIn(db.reader, box),
      listIssueDots(db.reader, filter, DOTS_MAX),
      view.zoom < ADDRESS_ZOOM_MIN ? [] : listIssueAddresses(db.reader, filter, ADDRESSES_MAX),
    ])
    const image = mapImage(
      {
        label: '',
        ...layers,
        dots,
        ...(pin ? { pin } : {}),
        // Addresses say which street is where if no street is drawn.
        labels: { names, addresses: layers.streets.length > 0 ? [] : addresses, factor: large ? LARGE_FACTOR : 1, hasCross },
        ...(hasCross ? { overlay: cross(view) } : {}),
      },
      large ? LARGE_STYLE : STYLE,
    )
    return reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', drawingPolicy).send(image)
  })
}

const ARM = 18
const GAP = 5

function cross(view: DrawnView): SafeHtml {
  const [x, y] = pixelsInView(view, view.centre)
  const path = `M${x} ${y - ARM}V${y - GAP}M${x} ${y + GAP}V${y + ARM}M${x - ARM} ${y}H${x - GAP}M${x + GAP} ${y}H${x + ARM}`
  return html`<path class="halo" d="${path}"/><path class="cross" d="${path}"/>`
}
