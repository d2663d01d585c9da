import type { Box } from '../../../geo/box.ts'
import type { Point } from '../../../geo/point.ts'
import { type FormValues, readText } from '../../../html/form-input.ts'
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
} from '../../map/drawn/drawn-view.ts'

/** The sizes of the image in CSS pixels, one for each width of the window. A click has the pixels of its image. */
export const imageSizes = [
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
export const pinParameters = (point: Point) => ({
  view: formatView(viewOfPoint({ zoom: POINT_ZOOM_MIN, centre: point }, point)),
  pin: formatPin(point),
})
