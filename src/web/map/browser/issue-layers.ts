import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl'

/* The layers of issues: a status has a shape as well as a colour, so that it can be recognized without colours. */

export const SOURCE = 'issues'
const LAYER = 'issues'
export const POINTS = 'issue-points'
export const CLUSTERS = 'issue-clusters'

const ICON_PIXELS = 22
const statuses = ['open', 'acknowledged', 'closed', 'archived'] as const
type Status = (typeof statuses)[number]

/** Returns a colour of the style sheet, so that the map follows the colour scheme of the page. */
export const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

/** Adds or replaces the issues on the map. */
export function showIssues(map: MapLibreMap, tileJson: string): void {
  for (const id of [POINTS, `${CLUSTERS}-labels`, CLUSTERS]) if (map.getLayer(id)) map.removeLayer(id)
  if (map.getSource(SOURCE)) map.removeSource(SOURCE)
  for (const status of statuses) {
    const id = `status-${status}`
    if (!map.hasImage(id)) map.addImage(id, drawIcon(status), { pixelRatio: 2 })
  }
  map.addSource(SOURCE, { type: 'vector', url: tileJson })
  const font = findFont(map)
  for (const layer of issueLayers(font)) map.addLayer(layer)
}

/** Lets the issues step back behind the point of a new report. */
export function fadeIssues(map: MapLibreMap): void {
  map.setPaintProperty(POINTS, 'icon-opacity', FADED_OPACITY)
  for (const property of ['circle-opacity', 'circle-stroke-opacity'] as const)
    map.setPaintProperty(CLUSTERS, property, FADED_OPACITY)
  map.setPaintProperty(`${CLUSTERS}-labels`, 'text-opacity', FADED_OPACITY)
}

const FADED_OPACITY = 0.35

const count: ExpressionSpecification = ['get', 'point_count']

/** Returns a font of the base map's server, or one of the device where the base map has no server of fonts. */
function findFont(map: MapLibreMap): string[] {
  const { glyphs, layers } = map.getStyle()
  const fonts = layers.flatMap((layer) => (layer.type === 'symbol' ? [layer.layout?.['text-font']] : []))
  const font = fonts.find((font): font is string[] => Array.isArray(font) && font.length > 0 && font.every(isFontName))
  return (glyphs === undefined ? undefined : font) ?? ['sans-serif']
}

/** An expression begins with an operator in lower case, such as `step`. */
const isFontName = (name: unknown) => typeof name === 'string' && /^[A-Z]/.test(name)

function issueLayers(font: string[]): LayerSpecification[] {
  const isCluster: ExpressionSpecification = ['==', ['get', 'cluster'], true]
  const isMostlyOpen: ExpressionSpecification = ['>=', ['*', 2, ['get', 'open']], count]
  return [
    {
      id: CLUSTERS,
      type: 'circle',
      source: SOURCE,
      'source-layer': LAYER,
      filter: isCluster,
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['log10', count], 0, 7, 1, 12, 2, 16, 4, 24, 6, 32],
        'circle-color': ['case', isMostlyOpen, colour('open'), colour('acknowledged')],
        'circle-stroke-color': colour('card'),
        'circle-stroke-width': 2,
      },
    },
    {
      id: `${CLUSTERS}-labels`,
      type: 'symbol',
      source: SOURCE,
      'source-layer': LAYER,
      filter: ['all', isCluster, ['>', count, 1]],
      layout: {
        'text-field': ['get', 'point_count_abbreviated'],
        'text-size': 12,
        'text-font': font,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': colour('card') },
    },
    {
      id: POINTS,
      type: 'symbol',
      source: SOURCE,
      'source-layer': LAYER,
      filter: ['!', ['has', 'cluster']],
      layout: {
        'icon-image': ['concat', 'status-', ['downcase', ['get', 'status']]],
        'icon-allow-overlap': true,
        'icon-size': ['interpolate', ['linear'], ['zoom'], 12, 0.6, 16, 1],
        // Open issues are drawn above the others.
        'symbol-sort-key': ['match', ['get', 'status'], 'Open', 3, 'Acknowledged', 2, 'Closed', 1, 0],
      },
    },
  ]
}

/** The style sheet has the same shapes for the list. Open is a circle, Acknowledged a diamond, Closed a square with a check mark, Archived a small square. */
function drawIcon(status: Status): ImageData {
  const size = ICON_PIXELS * 2
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size })
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  const middle = size / 2
  context.translate(middle, middle)
  context.fillStyle = colour(status)
  context.strokeStyle = colour('card')
  context.lineWidth = 4
  context.beginPath()
  if (status === 'open') context.arc(0, 0, middle - 6, 0, 2 * Math.PI)
  else if (status === 'acknowledged') addDiamond(context, middle - 3)
  else addSquare(context, status === 'closed' ? middle - 8 : middle - 13)
  context.fill()
  context.stroke()
  if (status === 'closed') drawCheckMark(context)
  return context.getImageData(0, 0, size, size)
}

function addDiamond(context: CanvasRenderingContext2D, radius: number): void {
  context.moveTo(0, -radius)
  context.lineTo(radius, 0)
  context.lineTo(0, radius)
  context.lineTo(-radius, 0)
  context.closePath()
}

function addSquare(context: CanvasRenderingContext2D, radius: number): void {
  context.rect(-radius, -radius, 2 * radius, 2 * radius)
}

function drawCheckMark(context: CanvasRenderingContext2D): void {
  context.beginPath()
  context.moveTo(-7, 0)
  context.lineTo(-2, 6)
  context.lineTo(8, -6)
  context.stroke()
}
