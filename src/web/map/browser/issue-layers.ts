import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap, SymbolLayerSpecification } from 'maplibre-gl'

/* The layers of issues: a status has a shape as well as a colour, so that it can be recognized without colours. */

export const SOURCE = 'issues'
const LAYER = 'issues'
export const POINTS = 'issue-points'
export const CLUSTERS = 'issue-clusters'
const LABELS = `${CLUSTERS}-labels`
/** Clusters of one issue, which have a shape by its status as points do. */
export const SINGLES = 'issue-singles'

const ICON_PIXELS = 22
const CLUSTER_RADIUS_MAX = 32
/** The ring of a cluster has this number of steps. */
const SHARES = 12
const statuses = ['open', 'acknowledged', 'closed', 'archived'] as const
type Status = (typeof statuses)[number]

/** Returns a colour of the style sheet, so that the map follows the colour scheme of the page. */
export const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

/** Adds or replaces the issues on the map. */
export function showIssues(map: MapLibreMap, tileJson: string): void {
  for (const id of [POINTS, SINGLES, LABELS, CLUSTERS]) if (map.getLayer(id)) map.removeLayer(id)
  if (map.getSource(SOURCE)) map.removeSource(SOURCE)
  for (const status of statuses) {
    const id = `status-${status}`
    if (!map.hasImage(id)) map.addImage(id, drawIcon(status), { pixelRatio: 2 })
  }
  for (let step = 0; step <= SHARES; step++) {
    const id = `share-${step}`
    if (!map.hasImage(id)) map.addImage(id, drawRing(step / SHARES), { pixelRatio: 2 })
  }
  map.addSource(SOURCE, { type: 'vector', url: tileJson })
  const font = findFont(map)
  for (const layer of issueLayers(font)) map.addLayer(layer)
}

/** Lets the issues step back behind the point of a new report. */
export function fadeIssues(map: MapLibreMap): void {
  for (const layer of [POINTS, SINGLES, LABELS]) map.setPaintProperty(layer, 'icon-opacity', FADED_OPACITY)
  for (const property of ['circle-opacity', 'circle-stroke-opacity'] as const)
    map.setPaintProperty(CLUSTERS, property, FADED_OPACITY)
  // Pale numbers could not be read.
  map.setLayoutProperty(LABELS, 'text-field', '')
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

/** Size in pixels by the number of issues, times a factor. */
const sizeByCount = (factor: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['log10', count],
  ...[0, 8, 1, 12, 2, 16, 4, 24, 6, CLUSTER_RADIUS_MAX].map((value, n) => (n % 2 === 0 ? value : value * factor)),
]

const openFirst = (statusOf: ExpressionSpecification): ExpressionSpecification => [
  'match',
  statusOf,
  'open',
  3,
  'acknowledged',
  2,
  'closed',
  1,
  0,
]

const iconLayout = (statusOf: ExpressionSpecification) =>
  ({
    'icon-image': ['concat', 'status-', statusOf],
    'icon-allow-overlap': true,
    // Open issues are drawn above the others.
    'symbol-sort-key': openFirst(statusOf),
  }) satisfies SymbolLayerSpecification['layout']

function issueLayers(font: string[]): LayerSpecification[] {
  const isCluster: ExpressionSpecification = ['==', ['get', 'cluster'], true]
  const isSingle: ExpressionSpecification = ['==', count, 1]
  const has = (status: Status): ExpressionSpecification => ['==', ['get', status], 1]
  // prettier-ignore
  const statusOfSingle: ExpressionSpecification = ['case', has('acknowledged'), 'acknowledged', has('closed'), 'closed', has('archived'), 'archived', 'open']
  const base = { source: SOURCE, 'source-layer': LAYER }
  return [
    {
      ...base,
      id: CLUSTERS,
      type: 'circle',
      filter: ['all', isCluster, ['!', isSingle]],
      paint: {
        'circle-radius': sizeByCount(1),
        'circle-color': colour('accent'),
        'circle-stroke-color': colour('card'),
        'circle-stroke-width': 2,
      },
    },
    {
      ...base,
      id: SINGLES,
      type: 'symbol',
      filter: ['all', isCluster, isSingle],
      layout: { ...iconLayout(statusOfSingle), 'icon-size': 0.8 },
    },
    {
      ...base,
      id: LABELS,
      type: 'symbol',
      filter: ['all', isCluster, ['!', isSingle]],
      layout: {
        'text-field': ['get', 'point_count_abbreviated'],
        'text-size': 12,
        'text-font': font,
        'text-allow-overlap': true,
        'icon-image': ['concat', 'share-', ['to-string', ['round', ['*', SHARES, ['/', ['get', 'open'], count]]]]],
        'icon-size': sizeByCount(1 / CLUSTER_RADIUS_MAX),
        'icon-allow-overlap': true,
      },
      paint: { 'text-color': colour('accent-ink') },
    },
    {
      ...base,
      id: POINTS,
      type: 'symbol',
      filter: ['!', ['has', 'cluster']],
      layout: {
        ...iconLayout(['downcase', ['get', 'status']]),
        'icon-size': ['interpolate', ['linear'], ['zoom'], 12, 0.6, 16, 1],
      },
    },
  ]
}

/** The ring of a cluster shows the share of open issues by its length, clockwise from the top. */
function drawRing(share: number): ImageData {
  const size = CLUSTER_RADIUS_MAX * 4
  const width = 14
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size })
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.translate(size / 2, size / 2)
  context.lineWidth = width
  for (const [name, part] of [
    ['line', 1],
    ['open', share],
  ] as const) {
    context.strokeStyle = colour(name)
    context.beginPath()
    context.arc(0, 0, (size - width) / 2, -Math.PI / 2, 2 * Math.PI * part - Math.PI / 2)
    context.stroke()
  }
  return context.getImageData(0, 0, size, size)
}

/** The style sheet has the same shapes (src/html/style/status.css), and so does the drawn map (src/web/map/map-svg.ts). Open is a circle, Acknowledged a diamond, Closed a square with a check mark, Archived a small square. */
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
