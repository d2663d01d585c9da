import { html, type SafeHtml } from '../../../html/template.ts'

type XY = readonly [x: number, y: number]

/** A street in drawing units. */
export interface StreetLine {
  readonly name: string
  readonly line: readonly XY[]
}

/** An estimate: the server has no fonts to measure. */
const LETTER_WIDTH = 7.5
const STEP = 12
/** The share of its way that a text advances: less than on a straight line. */
const STRAIGHT = 0.97

/**
 * Returns each name once along its street (SVG `textPath`), from left to right. A street that bends or has no room is left without.
 * @param take returns false, and takes no room, unless all points of a text are free
 */
export function streetNames(
  streets: readonly StreetLine[],
  take: (points: readonly XY[], width: number) => boolean,
  factor: number,
): SafeHtml[] {
  const step = STEP * factor
  const named = new Set<string>()
  return streets.flatMap(({ name, line }, index) => {
    const points = pointsAlong(line, step)
    const count = Math.ceil((name.length * LETTER_WIDTH * factor) / step) + 2
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
