import { textsIn } from '../../locales/texts.ts'
import { viewBox } from '../../geo/box.ts'
import { formatDistance } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { DOTS_MAX, type IssueView } from './issue-view.ts'
import type { Links } from '../../html/links.ts'
import { toBounds } from '../map/bounds.ts'
import { embeddedMap } from '../map/embedded-map.ts'
import type { PageMaps } from '../map/page-maps.ts'
import { MAP_WIDTH, mapSvg, NEIGHBOURHOOD_ZOOM } from '../map/drawn/map-svg.ts'

const RINGS_M = [500, 1_000] as const

export function neighbourhoodMap({ row, language, outlines, streets, dots }: IssueView, { to }: Links, maps: PageMaps): SafeHtml {
  const texts = textsIn(language)
  const near = dots.filter(({ id }) => id !== row.id)
  const view = viewBox(row, NEIGHBOURHOOD_ZOOM)
  const drawing = mapSvg({
    label: texts(dots.length < DOTS_MAX ? 'issue.map' : 'issue.mapOfNewest', { count: near.length }),
    centre: row,
    view,
    outlines: outlines.map(({ boundary }) => boundary),
    streets,
    dots: near,
    pin: row,
    rings_m: RINGS_M,
    width: MAP_WIDTH,
  })
  const map = embeddedMap(drawing, {
    ...maps.controls(language),
    stylesheet: maps.stylesheet,
    tileJson: to('/tiles/issues.json'),
    bounds: toBounds(view),
    pin: { lng: row.lng, lat: row.lat, rings_m: RINGS_M },
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">${texts('issue.mapHint', { near: formatDistance(RINGS_M[0], language, row), far: formatDistance(RINGS_M[1], language, row) })}
      <a href="${to('/watch', { lat: row.lat, lng: row.lng })}">${texts('issue.watchArea')}</a></figcaption>
  </figure>`
}
