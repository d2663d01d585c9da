import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { problems } from '../../errors/problems.ts'
import { type Box, viewBox } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { findIssue } from '../../issues/queries.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import type { Services } from '../../services.ts'
import { readStreets } from '../basemap/demo-streets.ts'
import { createMapPictures } from './map-picture.ts'
import { MAP_WIDTH, NEIGHBOURHOOD_ZOOM } from './drawn/map-svg.ts'

const DOTS_MAX = 1_000
const RINGS_M = [500, 1_000]
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
    const box = flatten(viewBox(issue, NEIGHBOURHOOD_ZOOM), issue)
    const [streets, outlines, dots] = await Promise.all([
      readStreets(services, box, MAP_WIDTH),
      listOutlinesIn(db, box, MAP_WIDTH),
      listIssueDots(db, { area: { kind: 'box', box }, statuses: ['Open', 'Acknowledged', 'Closed'] }, DOTS_MAX),
    ])
    return sendPicture(request, reply, {
      label: '',
      centre: issue,
      view: box,
      streets,
      outlines: outlines.map(({ boundary }) => boundary),
      dots: dots.filter(({ id }) => id !== issue.id),
      pin: issue,
      rings_m: RINGS_M,
      width: MAP_WIDTH,
    })
  })
}
