import type { Box, Point } from '../../../geo/shapes.ts'
import { hiddenField, hiddenFields } from '../../../html/fields.ts'
import { type FormValues, readText } from '../../../html/form.ts'
import type { Links } from '../../../html/links.ts'
import { richText } from '../../../html/rich-text.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import type { Texts } from '../../../locales/texts.ts'
import {
  CLICK_ZOOM_MIN,
  type DrawnView,
  fitView,
  formatPin,
  formatView,
  moves,
  moveView,
  parsePin,
  parseView,
  POINT_ZOOM_MIN,
  pointInView,
  viewOfPoint,
  type Move,
} from '../../map/drawn/drawn-view.ts'
import { POINT_DRAWING_PATH } from './point-drawing.ts'

/** The sizes of the image in CSS pixels, one for each width of the window. A click has the pixels of its image. */
const imageSizes = [
  { name: 'at320', width: 320, height: 256 },
  { name: 'at360', width: 360, height: 288 },
  { name: 'at480', width: 480, height: 384 },
  { name: 'at720', width: 720, height: 576 },
] as const

export interface DrawnPoint {
  readonly view: DrawnView
  readonly pin: Point | undefined
  /** True if the pin was set where the map shows streets. */
  readonly isPrecise: boolean
}

/** Reads the state of the drawn map from the form, and does what its button or a click asks for. */
export function readDrawnPoint(values: FormValues, box: Box | undefined): DrawnPoint {
  const view = parseView(readText(values, 'view')) ?? fitView(box)
  const click = readClick(values, view)
  if (click) return toDrawnPoint(viewOfPoint(view, click), view.zoom < CLICK_ZOOM_MIN ? undefined : click)
  const go = readText(values, 'go')
  if (go === 'centre') return toDrawnPoint(view, view.centre)
  const move = moves.find((one) => one === go)
  return toDrawnPoint(move ? moveView(view, move) : view, parsePin(readText(values, 'pin')))
}

const toDrawnPoint = (view: DrawnView, pin: Point | undefined): DrawnPoint => ({
  view,
  pin,
  isPrecise: pin !== undefined && view.zoom >= POINT_ZOOM_MIN,
})

/** True if the values are those of a click or a button of the drawn map, which browsers send only without the map of the script. */
export const isFromDrawnMap = (values: FormValues): boolean =>
  imageSizes.some(({ name }) => values[`${name}.x`] !== undefined) || values['go'] !== undefined

/** Enter on the image sends its top left corner. There it takes the centre, as it does on the map of the script. */
function readClick(values: FormValues, view: DrawnView): Point | undefined {
  for (const { name, width, height } of imageSizes) {
    const [x, y] = [readText(values, `${name}.x`), readText(values, `${name}.y`)]
    if (!/^\d{1,4}$/.test(x) || !/^\d{1,4}$/.test(y)) continue
    return x === '0' && y === '0' ? view.centre : pointInView(view, Number(x) / width, Number(y) / height)
  }
  return undefined
}

/** Returns the parameters of the page that shows a point on the drawn map again. */
const pinParameters = (point: Point) => ({
  view: formatView(viewOfPoint({ zoom: POINT_ZOOM_MIN, centre: point }, point)),
  pin: formatPin(point),
})

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

interface ChosenSpot {
  /** Path of the first step. */
  readonly path: string
  readonly point: Point
  readonly address: string | undefined
  /** Parameters that the choice of another spot carries. */
  readonly carried: Readonly<Record<string, string | undefined>>
  /** Paragraphs about the type and who receives the report, whose form is on the page; '' before it. */
  readonly details: SafeHtml | string
  /** Places that contain the point, the smallest first. */
  readonly placeNames: readonly string[]
  readonly texts: Texts
  readonly links: Links
}

const ZOOM = 16

/** A map with the names of the streets around the point. The style sheet cuts it to its place. */
export function spotPicture(point: Point, texts: Texts, { to }: Pick<Links, 'to'>): SafeHtml {
  const src = to(POINT_DRAWING_PATH, { view: formatView({ zoom: ZOOM, centre: point }), pin: formatPin(point), large: 'true' })
  return html`<img class="spot-map" src="${src}" alt="${texts('spot.map')}">`
}

/** Id of the form of a report, which the buttons of `leaveForm` send. */
export const FORM_ID = 'report-form'

/** Leads from the form of a report to an earlier step. Without scripts a button sends the form, so that the service keeps its texts and pictures. */
export const leaveForm = (href: string, label: string): SafeHtml =>
  html`<noscript><button class="plain" form="${FORM_ID}" name="leave" value="${href}" formnovalidate>${label}</button></noscript><a href="${href}">${label}</a>`

/** Says which spot was chosen, and links to the choice of another one. */
export function spotSection({ path, point, address, carried, details, placeNames, texts, links }: ChosenSpot): SafeHtml {
  const names = placeNames.slice(0, NAMES_MAX).join(', ')
  const change = links.to(path, { ...pinParameters(point), ...carried, from: formatPin(point) })
  return html`<section class="spot" aria-label="${texts('spot.spot')}">
      ${spotPicture(point, texts, links)}
      <p>${address ? html`<b>${address}</b><br>` : ''}${names === '' ? '' : html`${names}<br>`}
        ${details === '' ? html`<a href="${change}">${texts('spot.change')}</a>` : leaveForm(change, texts('spot.change'))}</p>
      ${details}
    </section>`
}
