import type { Feature, MultiPolygon, Point } from 'geojson'

import { type Box, boxCentre } from '../../geo/shapes.ts'
import { type FeatureMap, type FeatureMaps, type MapFeature, language } from '../../gis/ogc/page-parts.ts'
import { ROOT } from '../../gis/ogc/parameters.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import type { IssueDot } from '../../issues/list/overview.ts'
import type { Services } from '../../services.ts'
import { dropDetails } from '../basemap/atlas.ts'
import { toBounds, boxOf } from '../map/shapes.ts'
import type { EmbeddedConfig } from '../map/browser/config.ts'
import { embeddedMap, type PageMaps } from '../map/page-maps.ts'
import { boxAround, NEIGHBOURHOOD_ZOOM, pictureBox } from '../map/drawn/drawn-view.ts'
import { type MapSources, readMapLayers } from '../map/drawn/map-layers.ts'
import { MAP_WIDTH, type MapOptions, mapSvg } from '../map/drawn/map-svg.ts'

/** The width of a small place as a share of the width of the map. */
const DOT_SHARE = 0.02
/** A boundary is a triangle at least. */
const RING_MIN = 4

/** The features as the drawn map shows them, and as the map that can be moved does. */
interface Content {
  readonly drawn: Pick<MapOptions, 'dots' | 'pin' | 'areas'>
  readonly config: Pick<EmbeddedConfig, 'listed' | 'pin' | 'areas'>
}

/** Returns the maps of the pages of OGC API, whose features are issues and places. */
export function createFeatureMaps(services: MapSources & Pick<Services, 'links'>, maps: PageMaps): FeatureMaps {
  const { to } = services.links

  return {
    async ofRows(features, label) {
      const box = boxOf(features.map(toShape))
      if (!box) return undefined
      const view = boxAround(box)
      const dots = features.flatMap(toDot)
      return draw(view, label, dots.length > 0 ? issueRows(features, dots) : placeRows(features, view))
    },

    async ofFeature(feature, label) {
      const { geometry } = feature
      const [lng = 0, lat = 0] = geometry.type === 'Point' ? geometry.coordinates : []
      const pin = { lng, lat }
      if (geometry.type === 'Point') {
        return draw(pictureBox({ zoom: NEIGHBOURHOOD_ZOOM, centre: pin }), label, { drawn: { pin }, config: { pin } })
      }
      const box = boxOf([geometry])
      if (!box) return undefined
      const view = boxAround(box)
      const shape = simplify(geometry, view)
      const areas = { type: 'FeatureCollection' as const, features: [toFeature(feature.id, shape)] }
      return draw(view, label, { drawn: { areas: [{ shape }] }, config: { areas } })
    },
  }

  async function draw(view: Box, label: string, { drawn, config }: Content): Promise<FeatureMap> {
    const [layers, files] = await Promise.all([readMapLayers(services, view), maps.embedded()])
    const drawing = mapSvg({ label, ...layers, ...drawn })
    const controls = { ...maps.controls(language), bounds: toBounds(view) }
    const issue = `${to(`${ROOT}/collections/issues/items`)}/{id}?f=html`
    return { drawing: embeddedMap(drawing, { ...controls, issue, ...config }), files }
  }
}

function issueRows(features: readonly MapFeature[], dots: readonly IssueDot[]): Content {
  const summaries = new Map(features.map(({ id, properties }) => [id, properties['summary']]))
  const points = dots.map(({ id, lng, lat, status }): Feature => {
    const properties = { id, status: status.toLowerCase(), summary: summaries.get(id) }
    return { type: 'Feature', geometry: { type: 'Point', coordinates: [lng, lat] }, properties }
  })
  return { drawn: { dots }, config: { listed: { type: 'FeatureCollection', features: points } } }
}

/** The largest places come first, so that smaller ones are drawn on top. A dot shows where a place is that is small on the map. */
function placeRows(features: readonly MapFeature[], view: Box): Content {
  const size = (feature: MapFeature) => Number(feature.properties['area_m2'])
  const areas = features
    .toSorted((a, b) => size(b) - size(a))
    .map((feature) => {
      const shape = toShape(feature)
      const box = boxOf([shape]) ?? view
      const isSmall = widthOf(box) < DOT_SHARE * widthOf(view)
      const name = String(feature.properties['name'])
      return { id: feature.id, name, shape: simplify(shape, view), middle: isSmall ? boxCentre(box) : undefined }
    })
  const links = areas.map(({ id, name, shape, middle }) => ({ shape, link: { href: `#area-${id}`, label: name, middle } }))
  const shown = areas.flatMap(({ id, shape, middle }) => [
    toFeature(id, shape),
    ...(middle ? [toFeature(id, { type: 'Point', coordinates: [middle.lng, middle.lat] })] : []),
  ])
  return { drawn: { areas: links }, config: { areas: { type: 'FeatureCollection', features: shown } } }
}

const widthOf = ({ west, east }: Box): number => (west > east ? east + 360 - west : east - west)

const toFeature = (id: number, geometry: MultiPolygon | Point): Feature => ({ type: 'Feature', id, geometry, properties: {} })

const toShape = ({ geometry }: MapFeature): MultiPolygon =>
  geometry.type === 'Point' ? { type: 'MultiPolygon', coordinates: [[[geometry.coordinates]]] } : geometry

function toDot({ id, geometry, properties }: MapFeature): IssueDot[] {
  const status = statuses.find((known) => known === properties['status'])
  if (geometry.type !== 'Point' || status === undefined) return []
  const [lng = 0, lat = 0] = geometry.coordinates
  return [{ id, lng, lat, status }]
}

/** Leaves out details that are smaller than half a pixel of the view. */
function simplify({ type, coordinates }: MultiPolygon, view: Box): MultiPolygon {
  const pixel = widthOf(view) / MAP_WIDTH
  const polygons = coordinates.map((rings) => rings.map((ring) => dropDetails(ring, pixel / 2)).filter(isRing))
  return { type, coordinates: polygons.filter((rings) => rings.length > 0) }
}

const isRing = (ring: readonly unknown[]) => ring.length >= RING_MIN
