import type { Texts } from '../../../locales/texts.ts'
import type { Point } from '../../../geo/point.ts'
import type { Links } from '../../../html/links.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { formatPin, formatView } from '../../map/drawn/drawn-view.ts'
import { POINT_DRAWING_PATH } from './point-drawing.ts'
import { pinParameters } from './read-drawn-point.ts'

interface ChosenSpot {
  /** Path of the first step. */
  readonly path: string
  readonly point: Point
  readonly address: string | undefined
  /** Parameters that the choice of another spot carries. */
  readonly carried: Readonly<Record<string, string | undefined>>
  /** Paragraphs about the type and who receives the report. */
  readonly details: SafeHtml | string
  /** Places that contain the point, the smallest first. */
  readonly placeNames: readonly string[]
  readonly texts: Texts
  readonly links: Links
}

const WIDTH = 220
const HEIGHT = 176
const ZOOM = 16
const NAMES_MAX = 2

/** A small map with the names of the streets around the point. */
export function spotPicture(point: Point, texts: Texts, { to }: Pick<Links, 'to'>): SafeHtml {
  const src = to(POINT_DRAWING_PATH, { view: formatView({ zoom: ZOOM, centre: point }), pin: formatPin(point), large: 'true' })
  return html`<img src="${src}" width="${WIDTH}" height="${HEIGHT}" alt="${texts('spot.map')}">`
}

/** Says which spot was chosen, and links to the choice of another one. */
export function spotSection({ path, point, address, carried, details, placeNames, texts, links }: ChosenSpot): SafeHtml {
  const names = placeNames.slice(0, NAMES_MAX).join(', ')
  const change = links.to(path, { ...pinParameters(point), ...carried, from: formatPin(point) })
  return html`<section class="spot" aria-label="${texts('spot.spot')}">
      ${spotPicture(point, texts, links)}
      <p>${address ? html`<b>${address}</b><br>` : ''}${names === '' ? '' : html`${names}<br>`}
        <a href="${change}">${texts('spot.change')}</a></p>
      ${details}
    </section>`
}
