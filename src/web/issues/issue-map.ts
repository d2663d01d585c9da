import { viewBox } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { IssueView } from './issue-view.ts'
import type { Links } from '../../html/links.ts'
import { MAP_WIDTH, mapSvg, NEIGHBOURHOOD_ZOOM } from '../map/map-svg.ts'
import { formatCount } from '../../html/format.ts'

const RINGS_M = [500, 1_000]

export function neighbourhoodMap({ row, outlines, dots }: IssueView, { to }: Links): SafeHtml {
  const near = dots.filter(({ id }) => id !== row.id)
  const map = mapSvg({
    label: `Map of the neighbourhood with this issue at the centre and ${formatCount(near.length, 'other issue')} around it`,
    centre: row,
    view: viewBox(row, NEIGHBOURHOOD_ZOOM),
    outlines: outlines.map(({ boundary }) => boundary),
    dots: near,
    pin: row,
    rings_m: RINGS_M,
    width: MAP_WIDTH,
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">The rings have radii of 500 metres and 1 kilometre; the dots are other current issues.
      <a href="${to('/watch', { lat: row.lat, lng: row.lng })}">Watch this area</a></figcaption>
  </figure>`
}
