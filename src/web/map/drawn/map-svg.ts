import type { MultiPolygon, Position } from 'geojson'

import { type Box, clampLatitude, mercatorY, type Point, wrapLongitude } from '../../../geo/shapes.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import type { Status } from '../../../issue-lifecycle/status.ts'
import type { IssueDot } from '../../../issues/list/overview.ts'
import type { Ground } from '../../basemap/atlas.ts'
import type { StreetFeature } from '../../basemap/street-tiles.ts'
import { type MapLabels, mapLabels } from './map-labels.ts'
import { namedStreets, streetPaths, streetStyle } from './street-paths.ts'

/** A Web Mercator map as SVG: outlines of places, issues as dots by status, and an optional pin. */
export interface MapOptions {
  readonly label: string
  /** Longitudes are relative to the centre, so that a map can cross the antimeridian. */
  readonly centre: Point
  /** The visible box; by default that of the outlines. */
  readonly view?: Box
  /** Land and borders below the outlines. */
  readonly ground?: Ground
  readonly outlines: readonly MultiPolygon[]
  /** Parks, water and streets above the outlines. */
  readonly streets?: readonly StreetFeature[]
  /** Areas above the outlines. The visible box contains them. */
  readonly areas?: readonly MapArea[]
  readonly dots?: readonly IssueDot[]
  /** Paler dots below the areas: issues around them. */
  readonly dotsAround?: readonly IssueDot[]
  readonly pin?: Point
  readonly rings_m?: readonly number[]
  /** Texts above the issues. */
  readonly labels?: MapLabels
  /** Drawn below the pin and above everything else, in drawing units. */
  readonly overlay?: SafeHtml
  /** Width in drawing units. The height follows from the content and is at most the width. */
  readonly width: number
  /** True if the drawing fills its element, which may cut off two of its sides. */
  readonly isCover?: boolean
  /** The default is 0 for a visible box. */
  readonly margin?: number
}

interface MapArea {
  readonly shape: MultiPolygon
  /** An area may be a link to its entry in a list. A dot in its middle shows where it is if it is small on the map. */
  readonly link?: { readonly href: string; readonly label: string; readonly middle?: Point | undefined }
}

interface MapDrawing {
  readonly width: number
  readonly height: number
  readonly layers: SafeHtml
}

const MARGIN = 16
const ASPECT_RATIO_MIN = 0.55
const EQUATOR_M = 2 * Math.PI * 6_378_137

export function mapSvg(options: MapOptions): SafeHtml {
  const { width, height, layers } = drawMap(options)
  // The content of an image is hidden from screen readers, links included.
  const role = options.areas?.some(({ link }) => link !== undefined) ? 'group' : 'img'
  return html`<svg class="map" viewBox="0 0 ${width} ${height}"${options.isCover ? html` preserveAspectRatio="xMidYMid slice"` : ''} role="${role}" aria-label="${options.label}">${layers}</svg>`
}

const LIGHT =
  '--ground-land:#f4f5f1;--land:#e7ece4;--accent:#0b6176;--water:#dfe9ee;--border:#7f9a92;--open:#cc4f00;--acknowledged:#0068b8;--closed:#00855d;--archived:#707a85;--park:#d3e6c8;--street:#fff;--main-street:#fff3cf;--ink:#1f2933;--paper:#fff'
const DARK =
  '--ground-land:#232d34;--land:#2a363e;--accent:#6fc9dd;--water:#151d23;--border:#64808a;--open:#ff8f45;--acknowledged:#66b8f0;--closed:#3ecf9b;--archived:#8f9aa5;--park:#2a4237;--street:#43515b;--main-street:#5b6157;--ink:#e4e9ed;--paper:#11181d'

/** The caps of short lines are the shapes that the map of the script has: see `dotLayer()`. */
const SHAPES = `.ground{fill:var(--ground-land);fill-rule:evenodd}.borders{fill:none;stroke:var(--border);stroke-opacity:.6}.outline{fill:var(--land);fill-rule:evenodd;stroke:var(--border);stroke-width:1.5}.area{fill:var(--accent);fill-opacity:.16;fill-rule:evenodd;stroke:var(--accent);stroke-width:2}.around{opacity:.4}.borders,.outline,.area,.dots{vector-effect:non-scaling-stroke}.dots{fill:none;stroke-width:5;stroke-linecap:square;stroke-opacity:.85}.dots.open{stroke-width:6;stroke-linecap:round}.dots.archived{stroke-width:3}
.open{stroke:var(--open)}.acknowledged{stroke:var(--acknowledged)}.closed{stroke:var(--closed)}.archived{stroke:var(--archived)}
text{font:600 18px system-ui,sans-serif;fill:var(--ink);stroke:var(--paper);stroke-width:4;paint-order:stroke;stroke-linejoin:round;text-anchor:middle}text.street{font-size:14px;font-weight:400}.street-line{fill:none}${streetStyle({ park: 'var(--park)', water: 'var(--water)', side: 'var(--street)', main: 'var(--main-street)' })}
.pin path{fill:var(--accent);stroke:var(--paper);stroke-width:2}.pin circle{fill:var(--paper)}`

/** The style of an image cannot use that of the page. */
export const IMAGE_STYLE = `svg{${LIGHT};background:var(--water)}@media (prefers-color-scheme:dark){svg{${DARK}}}${SHAPES}`

const lightColour = (name: string) => new RegExp(`${name}:(#\\w+)`).exec(LIGHT)?.[1] ?? ''

/** The style of a picture for mails, which mail programs show on a light and on a dark ground. Its library knows no variables. */
export const PICTURE_STYLE = SHAPES.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => lightColour(name))
export const PICTURE_GROUND = lightColour('--water')

/** The image has a style sheet of its own. */
export const drawingPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Returns the map as a document of its own (image/svg+xml). */
export function mapImage(options: MapOptions, style = IMAGE_STYLE): string {
  const { width, height, layers } = drawMap(options)
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><style>${style}</style>${layers}</svg>`,
  )
}

export function drawMap(options: MapOptions): MapDrawing {
  const {
    centre,
    view,
    ground,
    outlines,
    streets = [],
    areas = [],
    dots = [],
    dotsAround = [],
    pin,
    rings_m = [],
    labels,
    overlay,
    width,
  } = options
  const margin = options.margin ?? (view ? 0 : MARGIN)
  const project = createProjection(centre)
  const rings = (shape: MultiPolygon) => shape.coordinates.flat(1)
  const shapes = areas.length > 0 ? areas.map(({ shape }) => shape) : outlines
  const corners = view ? projectBox(view, centre) : shapes.flatMap(rings).flatMap((ring) => projectLine(ring, centre))
  const { height, scale, place: toPixels } = fitToWidth(corners, width, margin)
  const toPosition = (point: Point) => toPixels(project(point))
  const toLine = (positions: readonly Position[]) => projectLine(positions, centre).map(toPixels)
  const line = (positions: readonly Position[]) =>
    `M${toLine(positions)
      .map((xy) => xy.join(' '))
      .join('L')}`
  const outlinePath = (shape: MultiPolygon) =>
    rings(shape)
      .map((ring) => `${line(ring)}Z`)
      .join('')
  const pixelsPerMetre = scale / (EQUATOR_M * Math.cos((clampLatitude(centre.lat) * Math.PI) / 180))

  const pinPosition = pin && toPosition(pin)
  const named = labels
    ? mapLabels(
        {
          width,
          height,
          toPosition,
          pin: pinPosition,
          streets: namedStreets(streets, pixelsPerMetre).map(({ name, positions }) => ({ name, line: toLine(positions) })),
        },
        labels,
      )
    : undefined
  const dotLayers = (all: readonly IssueDot[]) => groupByStatus(all).map(([status, some]) => dotLayer(status, some, toPosition))

  return {
    width,
    height,
    layers: html`${ground ? groundPaths(ground, line) : ''}
      ${outlines.map((outline) => html`<path class="outline" d="${outlinePath(outline)}"/>`)}
      ${streetPaths(streets, line, pixelsPerMetre)}
      ${named?.streets ?? ''}
      ${dotsAround.length > 0 ? html`<g class="around">${dotLayers(dotsAround)}</g>` : ''}
      ${areas.map(({ shape, link }) => areaPath(outlinePath(shape), link, toPosition))}
      ${pinPosition ? rings_m.map((radius) => circle(pinPosition, radius * pixelsPerMetre)) : ''}
      ${dotLayers(dots)}
      ${named?.places ?? ''}
      ${overlay ?? ''}
      ${pinPosition ? pinMarker(pinPosition) : ''}`,
  }
}

function areaPath(path: string, link: MapArea['link'], toPosition: (point: Point) => XY): SafeHtml {
  const area = html`<path class="area" d="${path}"/>`
  if (!link) return area
  const [x, y] = link.middle ? toPosition(link.middle) : []
  const dot = x === undefined ? '' : html`<circle class="area-dot" cx="${x}" cy="${y}" r="6"/>`
  return html`<a href="${link.href}" aria-label="${link.label}"><title>${link.label}</title>${area}${dot}</a>`
}

export type XY = readonly [x: number, y: number]

/** Returns a projection to fractions of the world's width, with the longitude of the centre at 0. */
const createProjection =
  (centre: Point) =>
  ({ lng, lat }: Point): XY => [wrapLongitude(wrapLongitude(lng) - centre.lng) / 360, mercatorY(lat)]

/** A ring or line stays in one piece: it is moved as a whole to the side of the world that the map shows. */
function projectLine(positions: readonly Position[], centre: Point): XY[] {
  const lngs = positions.map(([lng = 0]) => lng)
  const [least, most] = lngs.reduce(([a, b], lng) => [Math.min(a, lng), Math.max(b, lng)] as const, [Infinity, -Infinity] as const)
  const turns = Math.round((centre.lng - (least + most) / 2) / 360)
  return positions.map(([lng = 0, lat = 0]) => [(lng - centre.lng) / 360 + turns, mercatorY(lat)])
}

function projectBox({ west, south, east, north }: Box, centre: Point): XY[] {
  const [left, top] = [wrapLongitude(west - centre.lng) / 360, mercatorY(north)]
  return [
    [left, top],
    [left + (west > east ? east + 360 - west : east - west) / 360, mercatorY(south)],
  ]
}

function fitToWidth(corners: readonly XY[], width: number, margin: number) {
  const extent = (axis: 0 | 1) =>
    corners.reduce(([least, most], corner) => [Math.min(least, corner[axis]), Math.max(most, corner[axis])] as const, [
      Infinity,
      -Infinity,
    ] as const)
  const [west, east] = extent(0)
  const [north, south] = extent(1)
  const inner = width - 2 * margin
  const height = Math.round(width * Math.min(1, Math.max(ASPECT_RATIO_MIN, (south - north) / (east - west))))
  const scale = Math.min(inner / (east - west), (height - 2 * margin) / (south - north))
  const left = width / 2 - ((west + east) / 2) * scale
  const top = height / 2 - ((north + south) / 2) * scale
  return {
    height,
    scale,
    place: ([x, y]: XY): XY => [roundCoordinate(left + x * scale), roundCoordinate(top + y * scale)],
  }
}

const roundCoordinate = (coordinate: number) => Math.round(coordinate * 10) / 10

const groundPaths = ({ land, borders }: Ground, line: (positions: readonly Position[]) => string) =>
  html`<path class="ground" d="${land.map((ring) => `${line(ring)}Z`).join('')}"/><path class="borders" d="${borders.map(line).join('')}"/>`

/** Statuses from the lowest layer to the highest: what still needs work stays visible. */
const layerOrder = ['Archived', 'Closed', 'Acknowledged', 'Open'] as const satisfies readonly Status[]

function groupByStatus(dots: readonly IssueDot[]) {
  const groups = Map.groupBy(dots, ({ status }) => status)
  return layerOrder.flatMap((status): [Status, readonly IssueDot[]][] => {
    const group = groups.get(status)
    return group ? [[status, group]] : []
  })
}

/** Caps of a line without length are a circle; square caps of a short line are a square or, of a slanting one, a diamond. */
const capLines: Readonly<Record<Status, string>> = { Open: 'h0', Acknowledged: 'l.1.1', Closed: 'h.1', Archived: 'h.1' }

/** A path of short lines needs a fraction of the bytes of separate shapes. */
function dotLayer(status: Status, dots: readonly IssueDot[], toPosition: (point: Point) => XY): SafeHtml {
  const positions = new Set(dots.map((dot) => toPosition(dot).join(' ')))
  const path = [...positions].map((place) => `M${place}${capLines[status]}`).join('')
  return html`<path class="dots ${status.toLowerCase()}" d="${path}"/>`
}

const circle = ([x, y]: XY, radius: number) => html`<circle class="ring" cx="${x}" cy="${y}" r="${roundCoordinate(radius)}"/>`

const pinMarker = ([x, y]: XY) => html`<g class="pin" transform="translate(${x} ${y})">
    <path d="M0 0C-11-14-18-22-18-32a18 18 0 0 1 36 0C18-22 11-14 0 0z"/><circle cy="-32" r="7"/>
  </g>`
export const MAP_WIDTH = 720
