import { html, type SafeHtml } from '../../../html/template.ts'
import type { IssueAddress } from '../../../issues/list/map-queries.ts'
import type { PlaceName } from '../../../places/outline-queries.ts'
import type { Point } from '../../../geo/point.ts'
import { type StreetLine, streetNames } from './street-names.ts'

export interface MapLabels {
  /** The most important places first. */
  readonly names: readonly PlaceName[]
  /** The newest issues first. */
  readonly addresses?: readonly IssueAddress[]
  /** The size of the texts. */
  readonly factor?: number
  /** True if the middle of the map stays free. */
  readonly hasCross?: boolean
}

interface Drawing {
  readonly width: number
  readonly height: number
  readonly toPosition: (point: Point) => readonly [x: number, y: number]
  readonly pin: readonly [x: number, y: number] | undefined
  /** The most important streets first. */
  readonly streets: readonly StreetLine[]
}

interface Label {
  readonly text: string
  readonly kind: 'name' | 'address'
  readonly x: number
  /** Places to try for the text, in this order. */
  readonly ys: readonly number[]
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
}

const HEIGHT = 24
/** Estimates: the server has no fonts to measure. */
const LETTER_WIDTHS = { name: 11, address: 8 } as const
const CROSS_WIDTH = 36
/** An address stands below the dot of its issue, and the name of a small place below its issues. */
const BELOW_DOT = 18
const ADDRESS_MAX = 30

/** A pin is above its point, and as high as two texts. */
const PIN = { width: 36, ys: [12, 38] } as const

/** Returns the texts of the map and those of its streets. One that would cover another one, the pin or the cross is moved or left out. */
export function mapLabels(drawing: Drawing, labels: MapLabels): Readonly<Record<'streets' | 'places', SafeHtml[]>> {
  const { factor = 1, hasCross = false } = labels
  const height = HEIGHT * factor
  const [pinX = 0, pinY = 0] = drawing.pin ?? []
  const taken: Area[] = [
    ...(hasCross ? [{ x: drawing.width / 2, y: drawing.height / 2, width: CROSS_WIDTH }] : []),
    ...(drawing.pin ? PIN.ys.map((above) => ({ x: pinX, y: pinY - above, width: PIN.width })) : []),
  ]
  const isFree = ({ x, y, width }: Area) =>
    x >= width / 2 &&
    x <= drawing.width - width / 2 &&
    y >= height &&
    y <= drawing.height - height / 2 &&
    taken.every((other) => Math.abs(other.y - y) > height || Math.abs(other.x - x) > (other.width + width) / 2)

  const takeAll = (points: readonly (readonly [number, number])[], width: number) => {
    const areas = points.map(([x, y]) => ({ x, y, width }))
    const areFree = areas.every(isFree)
    if (areFree) taken.push(...areas)
    return areFree
  }

  const places = listLabels(drawing, labels, factor).flatMap(({ text, kind, x, ys }) => {
    const width = text.length * LETTER_WIDTHS[kind] * factor
    // The text of a point near the edge is moved into the map.
    const inside = x < 0 || x > drawing.width ? x : Math.min(Math.max(x, width / 2), drawing.width - width / 2)
    const area = ys.map((y) => ({ x: inside, y, width })).find(isFree)
    if (!area) return []
    taken.push(area)
    return [html`<text class="${kind}" x="${inside}" y="${area.y}">${text}</text>`]
  })
  return { places, streets: streetNames(drawing.streets, takeAll, factor) }
}

function listLabels({ toPosition }: Drawing, { names, addresses = [] }: MapLabels, factor: number): Label[] {
  const placeLabels = names.map(({ name, is_wide, ...point }): Label => {
    const [x, y] = toPosition(point)
    const step = Math.round(1.5 * HEIGHT * factor)
    const offset = Math.round(BELOW_DOT * factor)
    return { text: name, kind: 'name', x, ys: is_wide ? [y, y - step, y + step] : [y + offset, y - offset] }
  })
  const addressLabels = addresses.map(({ address, ...point }): Label => {
    const [x, y] = toPosition(point)
    return { text: shorten(address), kind: 'address', x, ys: [y + Math.round(BELOW_DOT * factor)] }
  })
  return [...placeLabels, ...addressLabels]
}

/** Returns the street and number without the city. */
const shorten = (address: string) => (address.split(',')[0] ?? '').trim().slice(0, ADDRESS_MAX)
