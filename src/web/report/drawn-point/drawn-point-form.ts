import type { Texts } from '../../../locales/texts.ts'
import { hiddenField, hiddenFields } from '../../../html/fields.ts'
import type { Links } from '../../../html/links.ts'
import { richText } from '../../../html/rich-text.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { type DrawnView, formatPin, formatView, type Move } from '../../map/drawn/drawn-view.ts'
import { POINT_DRAWING_PATH } from './point-drawing.ts'
import { type DrawnPoint, imageSizes } from './read-drawn-point.ts'

interface DrawnPointForm {
  readonly path: string
  /** Parameters that the form sends with the point. */
  readonly carried: Readonly<Record<string, string | undefined>>
  /** True if the page continues below the map, so that no link is needed. */
  readonly hasNextStep?: boolean
  readonly state: DrawnPoint
  /** Places that contain the chosen point, the smallest first. */
  readonly placeNames: readonly string[]
  readonly texts: Texts
  readonly links: Links
}

const NAMES_MAX = 2
/** Narrower images are those of phones. */
const SMALL_WIDTH = 400

const signs: readonly (readonly [Move, string])[] = [
  ['in', '+'],
  ['out', '−'],
  ['west', '←'],
  ['north', '↑'],
  ['south', '↓'],
  ['east', '→'],
]

/**
 * The choice of a point without scripts or WebGL. A click on the image sends its pixels; the style sheet shows one of the images, which
 * has a fixed size, because a server does not know how much a browser has scaled an image.
 */
export function drawnPointForm(form: DrawnPointForm): SafeHtml {
  const {
    path,
    carried,
    hasNextStep = false,
    state,
    placeNames,
    texts,
    links: { to },
  } = form
  const { view, pin } = state
  const src = (width: number) => to(POINT_DRAWING_PATH, drawingParameters(state, width))
  return html`<form class="drawn-point" method="get" action="${to(path)}#map" aria-label="${texts('drawnPoint.map')}">
      ${hiddenField('view', formatView(view))}${pin ? hiddenField('pin', formatPin(pin)) : ''}${hiddenFields(carried)}
      <div class="drawn-controls">
        <p>${status(state, texts)}${placeNames.length > 0 ? html` <b>${placeNames.slice(0, NAMES_MAX).join(', ')}</b>` : ''}</p>
        <p class="buttons" role="group" aria-label="${texts('drawnPoint.controls')}">${signs.map(
          ([move, sign]) =>
            html`<button class="second" name="go" value="${move}" aria-label="${texts(`drawnPoint.moves.${move}`)}" title="${texts(`drawnPoint.moves.${move}`)}">${sign}</button>`,
        )}<button class="second" name="go" value="centre">${texts('drawnPoint.useCentre')}</button></p>
        ${pin && state.isPrecise && !hasNextStep ? html`<p><a class="button primary" href="${to(path, { lat: pin.lat, lng: pin.lng, ...carried })}">${texts('drawnPoint.thisIsIt')}</a></p>` : ''}
      </div>
      ${drawnImages(src, texts('drawnPoint.image'))}
    </form>`
}

interface MapReportForm {
  readonly path: string
  /** The page on which the spot is chosen in other ways. */
  readonly href: string
  readonly view: DrawnView
  /** The address of the drawing of this view. */
  readonly drawing: string
  readonly texts: Texts
  readonly links: Links
}

/** The map of a list without scripts: a click on it starts a report there. */
export function mapReportForm({ path, href, view, drawing, texts, links }: MapReportForm): SafeHtml {
  return html`<form class="drawn-point" method="get" action="${links.to(path)}#map" aria-label="${texts('map.drawn')}">
      ${hiddenField('view', formatView(view))}
      ${drawnImages(() => drawing, texts('drawnPoint.reportImage'))}
      <p class="drawn-controls">${richText(texts, 'drawnPoint.report', { link: (text) => html`<a href="${href}">${text}</a>` })}</p>
    </form>`
}

const drawnImages = (src: (width: number) => string, alt: string) =>
  html`<div class="drawn-images">${imageSizes.map(
    ({ name, width, height }) =>
      html`<input type="image" class="${name}" name="${name}" src="${src(width)}" alt="${alt}" width="${width}" height="${height}">`,
  )}</div>`

/** A small image has large texts. Images with the same parameters are loaded once. */
const drawingParameters = ({ view, pin }: DrawnPoint, width: number) => ({
  view: formatView(view),
  pin: pin && formatPin(pin),
  cross: 'true',
  large: width < SMALL_WIDTH ? 'true' : undefined,
})

function status({ pin, isPrecise }: DrawnPoint, texts: Texts): string {
  if (!pin) return texts('drawnPoint.hint')
  return isPrecise ? texts('drawnPoint.chosen') : texts('drawnPoint.zoomIn')
}
