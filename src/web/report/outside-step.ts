import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { Point } from '../../geo/point.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Links } from '../../html/links.ts'
import type { PlaceRow } from '../../places/queries.ts'

/** A city is the place that people name; otherwise the smallest one. */
export const findMainPlace = (places: readonly PlaceRow[]): PlaceRow | undefined =>
  places.find(({ place_type }) => place_type === 'City') ?? places[0]

/** Says that the point is outside of the chosen place, and where to report it. The script of the map shows the element `outside`. */
export function outsideStep(
  place: PlaceRow,
  { point, other, texts, links }: { point: Point; other: PlaceRow | undefined; texts: Texts; links: Links },
): SafeHtml {
  const { lat, lng } = point
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  return html`<div class="waiting" id="outside">
    <p><b>${texts('point.outside', { place: place.name })}</b>
      ${other ? richText(texts, 'point.isInOther', { place: other.name, link: link(links.to(`/places/${other.url_name}/report`, { lat, lng })) }) : ''}
      ${richText(texts, 'point.reportAnyway', { link: link(links.to('/report', { lat, lng })) })}
      ${richText(texts, 'point.chooseAgain', { place: place.name, link: link(links.to(`/places/${place.url_name}/report`)) })}</p>
  </div>`
}
