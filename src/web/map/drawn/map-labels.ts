import { html, type SafeHtml } from '../../../html/template.ts'
import type { IssueAddress } from '../../../issues/list/overview.ts'
import type { PlaceName } from '../../../places/outline-queries.ts'
import type { Point } from '../../../geo/shapes.ts'

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

type XY = readonly [x: number, y: number]

interface Drawing {
  readonly width: number
  readonly height: number
  readonly toPosition: (point: Point) => XY
  readonly pin: XY | undefined
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
const LETTER_WIDTHS = { name: 11, address: 8, street: 7.5 } as const
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

  const takeAll = (points: readonly XY[], width: number) => {
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

/** A street in drawing units. */
interface StreetLine {
  readonly name: string
  readonly line: readonly XY[]
}

const STEP = 12
/** The share of its way that a text advances: less than on a straight line. */
const STRAIGHT = 0.97

/**
 * Returns each name once along its street (SVG `textPath`), from left to right. A street that bends or has no room is left without.
 * @param take returns false, and takes no room, unless all points of a text are free
 */
function streetNames(
  streets: readonly StreetLine[],
  take: (points: readonly XY[], width: number) => boolean,
  factor: number,
): SafeHtml[] {
  const step = STEP * factor
  const named = new Set<string>()
  return streets.flatMap(({ name, line }, index) => {
    const points = pointsAlong(line, step)
    const count = Math.ceil((name.length * LETTER_WIDTHS.street * factor) / step) + 2
    const middle = (points.length - count) / 2
    const starts = Array.from({ length: Math.max(0, points.length - count + 1) }, (_, start) => start)
    const parts = starts
      .toSorted((one, other) => Math.abs(one - middle) - Math.abs(other - middle))
      .map((start) => points.slice(start, start + count))
    const part = named.has(name) ? undefined : parts.find((one) => isStraight(one, step) && take(one, 2 * step))
    if (!part) return []
    named.add(name)
    const isReversed = (part[0]?.[0] ?? 0) > (part.at(-1)?.[0] ?? 0)
    const path = (isReversed ? part.toReversed() : part).map(([x, y]) => `${Math.round(x)} ${Math.round(y)}`).join('L')
    return [
      html`<path id="street-${index}" class="street-line" d="M${path}"/><text class="street" dy=".35em"><textPath href="#street-${index}" startOffset="50%">${name}</textPath></text>`,
    ]
  })
}

function isStraight(points: readonly XY[], step: number): boolean {
  const [[x = 0, y = 0] = [], [toX = 0, toY = 0] = []] = [points[0], points.at(-1)]
  return Math.hypot(toX - x, toY - y) >= STRAIGHT * step * (points.length - 1)
}

/** Returns points of a line at equal distances. */
function pointsAlong(line: readonly XY[], step: number): XY[] {
  const points: XY[] = []
  let next = 0
  for (const [index, [x, y]] of line.entries()) {
    const [fromX, fromY] = line[index - 1] ?? [x, y]
    const length = Math.hypot(x - fromX, y - fromY)
    for (; next <= length; next += step) {
      const share = length === 0 ? 0 : next / length
      points.push([fromX + (x - fromX) * share, fromY + (y - fromY) * share])
    }
    next -= length
  }
  return points
}
