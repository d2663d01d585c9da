import type { Feature, FeatureCollection } from 'geojson'

import type { Texts } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import { boxCentre } from '../../geo/box.ts'
import type { SafeHtml } from '../../html/template.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { readGround } from '../basemap/land.ts'
import { toBounds } from '../map/bounds.ts'
import { embeddedMap } from '../map/embedded-map.ts'
import { AREA_FRAME, frameBox } from '../map/drawn/frame-box.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'
import type { PageMaps } from '../map/page-maps.ts'
import { boxOf, ownBox, ownShape } from '../map/shapes.ts'
import { watchAreaTitle } from '../map/area-title.ts'

const WIDTH = 720
/** A map of small areas shows their surroundings, so that one sees where they are. */
const FRAME = { ...AREA_FRAME, width_m: 20_000 }

interface Overview {
  readonly rows: readonly OwnRow[]
  readonly maps: PageMaps
  readonly texts: Texts
}

/** Returns a map of all areas, whose polygons lead to the entries of the list; undefined without areas. */
export async function overviewMap(db: Queryable, { rows, maps, texts }: Overview): Promise<SafeHtml | undefined> {
  const areas = rows.map((row) => ({
    id: row.id,
    label: watchAreaTitle(row, texts),
    shape: ownShape(row),
    middle: boxCentre(ownBox(row)),
  }))
  const box = boxOf(areas.map(({ shape }) => shape))
  if (!box) return undefined
  const view = frameBox(box, FRAME)
  const [ground, outlines] = await Promise.all([readGround(view, WIDTH), listOutlinesIn(db, view, WIDTH)])
  const drawing = mapSvg({
    label: texts('watchAreas.allAreas'),
    centre: boxCentre(view),
    view,
    ground,
    outlines: outlines.map(({ boundary }) => boundary),
    areas: areas.map(({ id, label, shape, middle }) => ({ shape, link: { middle, href: `#area-${id}`, label } })),
    width: WIDTH,
  })
  const features = areas.flatMap(({ id, shape, middle }): Feature[] => [
    { type: 'Feature', id, geometry: shape, properties: {} },
    { type: 'Feature', id, geometry: { type: 'Point', coordinates: [middle.lng, middle.lat] }, properties: {} },
  ])
  return embeddedMap(drawing, {
    ...maps.controls(texts.language),
    stylesheet: maps.stylesheet,
    bounds: toBounds(view),
    areas: { type: 'FeatureCollection', features } satisfies FeatureCollection,
  })
}
