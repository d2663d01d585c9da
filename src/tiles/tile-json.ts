import Type, { type Static } from 'typebox'

import { problems, type ValidationErrors } from '../errors/problems.ts'
import { html } from '../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../http/formats/feature-collection.ts'
import type { Urls } from '../http/request/urls.ts'
import { text } from '../locales/texts.ts'
import type { Bounds } from './cluster-queries.ts'
import layerFields from './layer-fields.json' with { type: 'json' }
import { LAYER } from './read-tile.ts'
import { ZOOM_MAX, type TileAddress } from './tile-grid.ts'

/** TileJSON 3.0.0 */
export const TileJson = Type.Object(
  {
    tilejson: Type.String({ examples: ['3.0.0'] }),
    name: Type.String({ examples: ['Issues'] }),
    description: Type.String({ examples: ['Issues and clusters of issues'] }),
    version: Type.String({ examples: ['1.0.0'] }),
    scheme: Type.String({ examples: ['xyz'] }),
    attribution: Type.String({
      description: 'HTML with the service and the licence of the data.',
      examples: [`<a href="http://127.0.0.1:3000/">Fixpoint</a>, <a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`],
    }),
    tiles: Type.Array(Type.String({ examples: ['http://127.0.0.1:3000/tiles/issues/{z}/{x}/{y}.mvt'] })),
    minzoom: Type.Integer({ examples: [0] }),
    maxzoom: Type.Integer({ examples: [ZOOM_MAX] }),
    bounds: Type.Array(Type.Number(), {
      description: 'West, south, east and north of the area.',
      minItems: 4,
      maxItems: 4,
      examples: [[-105.11, 39.61, -104.6, 39.91]],
    }),
    vector_layers: Type.Array(
      Type.Object({
        id: Type.String({ examples: [LAYER] }),
        description: Type.String({ examples: ['Issues and clusters of issues'] }),
        minzoom: Type.Integer({ examples: [0] }),
        maxzoom: Type.Integer({ examples: [ZOOM_MAX] }),
        fields: Type.Record(Type.String(), Type.String(), {
          examples: [{ status: 'String. Open, Acknowledged, Closed or Archived.' }],
        }),
      }),
    ),
  },
  { title: 'TileJson' },
)
export type TileJson = Static<typeof TileJson>

const toFieldText = ({ type, description }: { readonly type: string; readonly description: string }) =>
  `${type.charAt(0).toUpperCase()}${type.slice(1)}. ${description}`

/** Maps show it as HTML. */
const toAttribution = (urls: Urls): string =>
  String(html`<a href="${urls.at('/')}">Fixpoint</a>, <a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`)

/** @param tilesUrl the URL of tiles with `{z}`, `{x}` and `{y}` and the parameters of the filter */
export const toTileJson = (urls: Urls, tilesUrl: string, bounds: Bounds): TileJson => ({
  tilejson: '3.0.0',
  name: 'Issues',
  description: 'Single issues from zoom 12 on, clusters below. Features outside the extent are counted by another tile.',
  version: '1.0.0',
  scheme: 'xyz',
  attribution: toAttribution(urls),
  tiles: [tilesUrl],
  minzoom: 0,
  maxzoom: ZOOM_MAX,
  bounds: [...bounds],
  vector_layers: [
    {
      id: LAYER,
      description: 'Issues and clusters of issues',
      minzoom: 0,
      maxzoom: ZOOM_MAX,
      fields: Object.fromEntries(Object.entries(layerFields).map(([name, field]) => [name, toFieldText(field)])),
    },
  ],
})

const Index = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

export const TilePath = Type.Object({
  z: Index(`Zoom, 0 to ${ZOOM_MAX}.`, 12),
  x: Index('Column from the west, 0 to 2^z - 1.', 853),
  y: Index('Row from the north, 0 to 2^z - 1.', 1554),
})

/** @throws Problem 422 naming each number that is out of range */
export function parseTileAddress({ z, x, y }: Static<typeof TilePath>, names = { z: 'z', x: 'x', y: 'y' }): TileAddress {
  const maxima = { z: ZOOM_MAX, ...(z <= ZOOM_MAX ? { x: 2 ** z - 1, y: 2 ** z - 1 } : {}) }
  const numbers = { z, x, y }
  const errors: ValidationErrors = Object.fromEntries(
    Object.entries(maxima)
      .filter(([name, max]) => numbers[name as keyof typeof numbers] > max)
      .map(([name, max]) => [
        names[name as keyof typeof names],
        text('must_be', { allowed: text('number_between', { min: 0, max }) }),
      ]),
  )
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  return numbers
}

/** A style of version 8 for MapLibre. The schema does not repeat its specification. */
export const MapStyle = Type.Object(
  {
    version: Type.Integer({ examples: [8] }),
    name: Type.String({ examples: ['Issues'] }),
    sources: Type.Record(Type.String(), Type.Object({ type: Type.String(), url: Type.String() })),
    layers: Type.Array(Type.Any()),
  },
  { title: 'MapStyle' },
)

/** Colours of the pages (src/html/files/style.css). */
const colours = { Open: '#cc4f00', Acknowledged: '#0068b8', Closed: '#00855d', Archived: '#707a85' }
const BACKGROUND = '#f4f4f1'
const WHITE = '#ffffff'

const source = { source: 'issues', 'source-layer': LAYER }

/** The fill shows the status without colour too: full, with a white centre, empty, or small. */
const points = {
  Open: { fill: colours.Open, strokeWidth: 1 },
  Acknowledged: { fill: WHITE, strokeWidth: 2.5 },
  Closed: { fill: BACKGROUND, strokeWidth: 1.5 },
  Archived: { fill: colours.Archived, strokeWidth: 1 },
}

const pointLayers = Object.entries(points).map(([status, { fill, strokeWidth }]) => ({
  id: `issues-${status.toLowerCase()}`,
  type: 'circle',
  ...source,
  filter: ['==', ['get', 'status'], status],
  paint: {
    'circle-radius': ['interpolate', ['linear'], ['zoom'], 12, 3, 18, 8],
    'circle-color': fill,
    'circle-stroke-color': colours[status as keyof typeof points],
    'circle-stroke-width': strokeWidth,
  },
}))

const clusterSizes = [
  { name: '1', from: 1, below: 10, radius: 5 },
  { name: '10', from: 10, below: 100, radius: 7 },
  { name: '100', from: 100, below: 1_000, radius: 9 },
  { name: '1000', from: 1_000, below: 10_000, radius: 12 },
  { name: '10000', from: 10_000, below: 1e9, radius: 15 },
]

const clusterLayers = clusterSizes.flatMap(({ name, from, below, radius }) =>
  [
    { kind: 'open', comparison: '>=', colour: colours.Open },
    { kind: 'closed', comparison: '<', colour: colours.Acknowledged },
  ].map(({ kind, comparison, colour }) => ({
    id: `clusters-${kind}-${name}`,
    type: 'circle',
    ...source,
    filter: [
      'all',
      ['has', 'point_count'],
      ['>=', ['get', 'point_count'], from],
      ['<', ['get', 'point_count'], below],
      [comparison, ['get', 'open'], ['get', 'closed']],
    ],
    paint: {
      'circle-radius': radius,
      'circle-color': colour,
      'circle-opacity': 0.75,
      'circle-stroke-color': WHITE,
      'circle-stroke-width': 1,
    },
  })),
)

/**
 * Returns a MapLibre style without labels, since text and icons would need files of another server. QGIS converts styles, but no
 * expressions of a feature's values, so each status, and each size of clusters, is a layer of its own. Clusters have the colour of open
 * issues if they have at least as many open as closed ones.
 */
export const toStyle = (tileJsonUrl: string) => ({
  version: 8,
  name: 'Issues',
  sources: { issues: { type: 'vector', url: tileJsonUrl } },
  layers: [{ id: 'background', type: 'background', paint: { 'background-color': BACKGROUND } }, ...clusterLayers, ...pointLayers],
})
