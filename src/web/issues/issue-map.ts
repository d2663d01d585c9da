import { viewBox } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { DOTS_MAX, type IssueView, MAP_ZOOM } from './issue-view.ts'
import type { Links } from '../../html/links.ts'
import { toBounds } from '../map/bounds.ts'
import { embeddedMap } from '../map/embedded-map.ts'
import type { PageMaps } from '../map/page-maps.ts'
import { MAP_WIDTH, mapSvg } from '../map/drawn/map-svg.ts'

export function neighbourhoodMap({ row, texts, outlines, streets, dots }: IssueView, { to }: Links, maps: PageMaps): SafeHtml {
  const near = dots.filter(({ id }) => id !== row.id)
  const view = viewBox(row, MAP_ZOOM)
  const drawing = mapSvg({
    label: texts(dots.length < DOTS_MAX ? 'issue.map' : 'issue.mapOfNewest', { count: near.length }),
    centre: row,
    view,
    outlines: outlines.map(({ boundary }) => boundary),
    streets,
    // Other issues step back behind the pin.
    dotsAround: near,
    pin: row,
    labels: { names: [] },
    width: MAP_WIDTH,
  })
  const map = embeddedMap(drawing, {
    ...maps.controls(texts.language),
    stylesheet: maps.stylesheet,
    tileJson: to('/tiles/issues.json'),
    bounds: toBounds(view),
    pin: { lng: row.lng, lat: row.lat },
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">${texts('issue.mapHint')}
      <a href="${to('/watch', { lat: row.lat, lng: row.lng })}">${texts('issue.watchArea')}</a></figcaption>
  </figure>`
}
