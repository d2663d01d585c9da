import type { Position } from 'geojson'

import { html, type SafeHtml } from '../../../html/template.ts'
import type { StreetFeature } from '../../basemap/street-tiles.ts'

/** Streets have their width on the ground, but are at least this wide. */
const WIDTHS = { side: { ground_m: 9, least: 1 }, main: { ground_m: 16, least: 2 } } as const

/** Side streets have names where two of them are far enough apart. */
const SIDE_NAMES_PIXELS_PER_M = 0.25

/** Returns the streets that have names on the map, the main streets first. */
export const namedStreets = (features: readonly StreetFeature[], pixelsPerMetre: number) =>
  (['main', 'side'] as const)
    .filter((kind) => kind === 'main' || pixelsPerMetre >= SIDE_NAMES_PIXELS_PER_M)
    .flatMap((kind) => features.filter((feature) => feature.kind === kind))
    .flatMap(({ name, positions }) => (name === undefined ? [] : [{ name, positions }]))

/** Returns the rules of an image, whose style cannot use that of the page. */
export const streetStyle = (colours: Readonly<Record<'park' | 'water' | 'side' | 'main', string>>) =>
  `.streets,.valleys,.rivers{fill:none;stroke-linecap:round;stroke-linejoin:round}.streets{stroke:${colours.side}}.streets.main{stroke:${colours.main}}.parks{fill:${colours.park}}.valleys{stroke:${colours.park}}.waters{fill:${colours.water}}.rivers{stroke:${colours.water}}`

/** Returns a path for each kind of street, and the parks and water below them. */
export function streetPaths(
  features: readonly StreetFeature[],
  line: (positions: readonly Position[]) => string,
  pixelsPerMetre: number,
): SafeHtml[] {
  const pathOf = (all: readonly StreetFeature[], end = '') => all.map(({ positions }) => `${line(positions)}${end}`).join('')
  const round = (width: number) => Math.round(width * 10) / 10
  const ground = (['park', 'water'] as const).flatMap((kind) => {
    const some = features.filter((feature) => feature.kind === kind)
    const rings = some.filter(({ isRing }) => isRing)
    const wide = some.filter(({ isRing }) => !isRing)
    return [
      ...(rings.length > 0 ? [html`<path class="${kind}s" d="${pathOf(rings, 'Z')}"/>`] : []),
      ...wide.map(
        ({ positions, width_m = 0 }) =>
          html`<path class="${kind === 'park' ? 'valleys' : 'rivers'}" stroke-width="${round(width_m * pixelsPerMetre)}" d="${line(positions)}"/>`,
      ),
    ]
  })
  const streets = (['side', 'main'] as const).flatMap((kind) => {
    const some = features.filter((feature) => feature.kind === kind)
    const { ground_m, least } = WIDTHS[kind]
    const width = round(Math.max(ground_m * pixelsPerMetre, least))
    return some.length === 0 ? [] : [html`<path class="streets ${kind}" stroke-width="${width}" d="${pathOf(some)}"/>`]
  })
  return [...ground, ...streets]
}
