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

const byStatus = (values: Readonly<Record<keyof typeof colours, unknown>>) => [
  'match',
  ['get', 'status'],
  ...Object.entries(values).flat(),
  colours.Archived,
]

const strokeWidth = ['match', ['get', 'status'], 'Acknowledged', 2.5, 'Closed', 1.5, 1]

/**
 * Returns a MapLibre style without labels, since text and icons would need files of another server. The fill shows the status
 * without colour too: full, with a white centre, empty, or small.
 */
export const toStyle = (tileJsonUrl: string) => ({
  version: 8,
  name: 'Issues',
  sources: { issues: { type: 'vector', url: tileJsonUrl } },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': BACKGROUND } },
    {
      id: 'issue-clusters',
      type: 'circle',
      source: 'issues',
      'source-layer': LAYER,
      filter: ['==', ['get', 'cluster'], true],
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['log10', ['get', 'point_count']], 0, 4, 2, 8, 4, 13, 6, 16],
        'circle-color': ['case', ['>=', ['*', ['get', 'open'], 2], ['get', 'point_count']], colours.Open, colours.Acknowledged],
        'circle-opacity': 0.75,
        'circle-stroke-color': WHITE,
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'issue-points',
      type: 'circle',
      source: 'issues',
      'source-layer': LAYER,
      filter: ['!', ['has', 'cluster']],
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 12, 3, 18, 8],
        'circle-color': byStatus({ Open: colours.Open, Acknowledged: WHITE, Closed: BACKGROUND, Archived: colours.Archived }),
        'circle-stroke-color': byStatus(colours),
        'circle-stroke-width': strokeWidth,
      },
    },
  ],
})
