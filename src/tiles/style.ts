import Type from 'typebox'

import { LAYER } from './read-tile.ts'

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
