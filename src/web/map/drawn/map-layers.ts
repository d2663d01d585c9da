import type { StreetSources } from '../../../basemap/has-streets.ts'
import type { Database } from '../../../database/database.ts'
import { type Box, boxCentre } from '../../../geo/shapes.ts'
import { listOutlinesIn } from '../../../places/outline-queries.ts'
import { readGround } from '../../basemap/atlas.ts'
import { readStreets } from '../../basemap/street-tiles.ts'
import { MAP_WIDTH } from './map-svg.ts'

export type MapSources = StreetSources & { readonly db: Pick<Database, 'reader'> }
export type MapLayers = Awaited<ReturnType<typeof readMapLayers>>

/** Returns what a drawn map of the box shows below its issues: land, places and streets. */
export async function readMapLayers(sources: MapSources, view: Box) {
  const [ground, outlines, streets] = await Promise.all([
    readGround(view, MAP_WIDTH),
    listOutlinesIn(sources.db.reader, view, MAP_WIDTH),
    readStreets(sources, view, MAP_WIDTH),
  ])
  return {
    ...{ centre: boxCentre(view), view, width: MAP_WIDTH, ground, streets },
    outlines: outlines.map(({ boundary }) => boundary),
  }
}
