import { html, type SafeHtml } from '../../../html/template.ts'
import type { IssueAddress } from '../../../issues/list/map-queries.ts'
import type { PlaceName } from '../../../places/outline-queries.ts'
import type { Point } from '../../../geo/point.ts'

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

/** Returns the texts of the map. One that would cover another one or the cross is moved or left out. */
export function mapLabels(drawing: Drawing, labels: MapLabels): SafeHtml[] {
  const { factor = 1, hasCross = false } = labels
  const height = HEIGHT * factor
  const taken: Area[] = hasCross ? [{ x: drawing.width / 2, y: drawing.height / 2, width: CROSS_WIDTH }] : []
  const isFree = ({ x, y, width }: Area) =>
    x >= width / 2 &&
    x <= drawing.width - width / 2 &&
    y >= height &&
    y <= drawing.height - height / 2 &&
    taken.every((other) => Math.abs(other.y - y) > height || Math.abs(other.x - x) > (other.width + width) / 2)

  return listLabels(drawing, labels, factor).flatMap(({ text, kind, x, ys }) => {
    const width = text.length * LETTER_WIDTHS[kind] * factor
    // The text of a point near the edge is moved into the map.
    const inside = x < 0 || x > drawing.width ? x : Math.min(Math.max(x, width / 2), drawing.width - width / 2)
    const area = ys.map((y) => ({ x: inside, y, width })).find(isFree)
    if (!area) return []
    taken.push(area)
    return [html`<text class="${kind}" x="${inside}" y="${area.y}">${text}</text>`]
  })
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
