import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LRUCache } from 'lru-cache'

import { problems } from '../../errors/problems.ts'
import { type Box, viewBox } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { isNotModified, setValidators } from '../../http/caching/conditional.ts'
import { svgToPng } from '../../images/svg-to-png.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { findIssue } from '../../issues/queries.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import type { Services } from '../../services.ts'
import { mapImage, MAP_WIDTH, NEIGHBOURHOOD_ZOOM } from './map-svg.ts'

/** An issue that is hidden later keeps its map in caches for this time. */
const CACHE_S = 300
const IMAGES_MAX = 100
const DOTS_MAX = 1_000
const RINGS_M = [500, 1_000]
const HEIGHT_SHARE = 0.6
const WATER = '#f2f6f7'
/** The colours of the style sheet. Mail programs show the image on a light and on a dark ground. */
const STYLE = `.outline{fill:#e9eeea;fill-rule:evenodd;stroke:#7f9a92;stroke-width:1.5}.dots{fill:none;stroke-width:6;stroke-linecap:round;stroke-opacity:.85}
.open{stroke:#cc4f00}.acknowledged{stroke:#0068b8}.closed{stroke:#00855d}
.ring{fill:none;stroke:#53606d;stroke-dasharray:3 5;stroke-opacity:.7}.pin path{fill:#0b6176;stroke:#fff;stroke-width:2}.pin circle{fill:#fff}`

/** A wide picture leaves room for the text of the mail. */
const flatten = ({ west, east, south, north }: Box, { lat }: Point): Box => ({
  west,
  east,
  south: lat - (lat - south) * HEIGHT_SHARE,
  north: lat + (north - lat) * HEIGHT_SHARE,
})

/** The neighbourhood of a public issue as a picture for mails, which show no SVG. */
export const issueMapImage: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  /** Many recipients of a mail open the same map. */
  const images = new LRUCache<string, Promise<Buffer>>({ max: IMAGES_MAX })

  app.get('/issues/:id/map.png', { schema: { params: IssueParams } }, async (request, reply) => {
    const issue = await findIssue(db, request.params.id, null)
    if (!issue) throw problems.notFound('the_issue')
    const box = flatten(viewBox(issue, NEIGHBOURHOOD_ZOOM), issue)
    const [outlines, dots] = await Promise.all([
      listOutlinesIn(db, box, MAP_WIDTH),
      listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
    ])
    const svg = mapImage(
      {
        label: '',
        centre: issue,
        view: box,
        outlines: outlines.map(({ boundary }) => boundary),
        dots: dots.filter(({ id }) => id !== issue.id),
        pin: issue,
        rings_m: RINGS_M,
        width: MAP_WIDTH,
      },
      STYLE,
    )
    setValidators(request, reply, { etagParts: [svg] })
    void reply.header('cache-control', `public, max-age=${CACHE_S}`)
    if (isNotModified(request, reply)) return reply.code(304).send()
    return reply.type('image/png').send(await render(svg))
  })

  function render(svg: string): Promise<Buffer> {
    const cached = images.get(svg)
    if (cached) return cached
    const image = svgToPng(svg, WATER)
    images.set(svg, image)
    image.catch(() => images.delete(svg))
    return image
  }
}
