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
import { MAP_WIDTH, type MapOptions } from './drawn/map-svg.ts'

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
