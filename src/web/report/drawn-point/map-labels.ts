import { html, type SafeHtml } from '../../../html/template.ts'
import type { IssueAddress } from '../../../issues/list/map-queries.ts'
import type { PlaceName } from '../../../places/outline-queries.ts'
import { DRAWN_HEIGHT, DRAWN_WIDTH, type DrawnView, pixelsInView } from './drawn-view.ts'

interface MapLabels {
  /** The largest places first. */
  readonly names: readonly PlaceName[]
  /** The newest issues first. */
  readonly addresses: readonly IssueAddress[]
  /** The size of the texts. */
  readonly factor: number
  /** True if the middle of the map stays free. */
  readonly hasCross: boolean
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
/** An address stands below the dot of its issue. */
const ADDRESS_OFFSET = 18
const ADDRESS_MAX = 30

/** Returns the texts of the map. One that would cover another one or the cross is moved or left out. */
export function mapLabels(view: DrawnView, { names, addresses, factor, hasCross }: MapLabels): SafeHtml[] {
  const height = HEIGHT * factor
  const taken: Area[] = hasCross ? [{ x: DRAWN_WIDTH / 2, y: DRAWN_HEIGHT / 2, width: CROSS_WIDTH }] : []
  const isFree = ({ x, y, width }: Area) =>
    x >= width / 2 &&
    x <= DRAWN_WIDTH - width / 2 &&
    y >= height &&
    y <= DRAWN_HEIGHT - height / 2 &&
    taken.every((other) => Math.abs(other.y - y) > height || Math.abs(other.x - x) > (other.width + width) / 2)

  return listLabels(view, names, addresses, factor).flatMap(({ text, kind, x, ys }) => {
    const width = text.length * LETTER_WIDTHS[kind] * factor
    const area = ys.map((y) => ({ x, y, width })).find(isFree)
    if (!area) return []
    taken.push(area)
    return [html`<text class="${kind}" x="${x}" y="${area.y}">${text}</text>`]
  })
}

function listLabels(view: DrawnView, names: MapLabels['names'], addresses: MapLabels['addresses'], factor: number): Label[] {
  const placeLabels = names.map(({ name, ...point }): Label => {
    const [x, y] = pixelsInView(view, point)
    const step = Math.round(1.5 * HEIGHT * factor)
    return { text: name, kind: 'name', x, ys: [y, y - step, y + step] }
  })
  const addressLabels = addresses.map(({ address, ...point }): Label => {
    const [x, y] = pixelsInView(view, point)
    return { text: shorten(address), kind: 'address', x, ys: [y + Math.round(ADDRESS_OFFSET * factor)] }
  })
  return [...placeLabels, ...addressLabels]
}

/** Returns the street and number without the city. */
const shorten = (address: string) => (address.split(',')[0] ?? '').trim().slice(0, ADDRESS_MAX)
