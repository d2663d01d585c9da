import type { ExpressionSpecification, LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl'

import { CLUSTER_RADIUS_MAX, type Colour, type Status } from './icons.ts'

/* The layers of issues, from the lowest to the highest. */

export const SOURCE = 'issues'
const LAYER = 'issues'
export const POINTS = 'issue-points'
export const CLUSTERS = 'issue-clusters'
/** The numbers of clusters. */
export const COUNTS = `${CLUSTERS}-counts`
/** Clusters of one issue, which have a shape by its status as points do. */
export const SINGLES = 'issue-singles'
export const ADDRESSES = 'issue-addresses'
/** The ring of a cluster has this number of steps. */
export const SHARES = 12
/** Share of a circle that no other number may cover: rings may touch. */
const NUMBER_ROOM = 0.75
/** Tiles have addresses from this zoom (src/tiles/read-tile.ts). */
const ADDRESS_ZOOM = 15

const count: ExpressionSpecification = ['get', 'point_count']

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

const pointLayout = {
  ...iconLayout(['downcase', ['get', 'status']]),
  'icon-size': ['interpolate', ['linear'], ['zoom'], 12, 0.6, 16, 1],
} satisfies SymbolLayerSpecification['layout']

/** Issues of a page without tiles. */
export const listedIssueLayer: SymbolLayerSpecification = { id: POINTS, type: 'symbol', source: SOURCE, layout: pointLayout }

interface IssueStyle {
  readonly font: string[]
  readonly colour: Colour
  /** True if the base map has streets; otherwise addresses of issues say where a street is. */
  readonly hasStreets: boolean
}

interface IssueLayers {
  /** Layers below the names of the base map. */
  readonly below: readonly LayerSpecification[]
  /** Layers above them, around which the names are placed. */
  readonly above: readonly LayerSpecification[]
}

/** Returns the layers of issues. MapLibre places the texts of higher layers first. */
export function issueLayers({ font, colour, hasStreets }: IssueStyle): IssueLayers {
  const isCluster: ExpressionSpecification = ['==', ['get', 'cluster'], true]
  const isPoint: ExpressionSpecification = ['!', ['has', 'cluster']]
  const isSingle: ExpressionSpecification = ['==', count, 1]
  const isSeveral: ExpressionSpecification = ['all', isCluster, ['!', isSingle]]
  const has = (status: Status): ExpressionSpecification => ['==', ['get', status], 1]
  // prettier-ignore
  const statusOfSingle: ExpressionSpecification = ['case', has('acknowledged'), 'acknowledged', has('closed'), 'closed', has('archived'), 'archived', 'open']
  const base = { source: SOURCE, 'source-layer': LAYER }
  const addresses: LayerSpecification = {
    ...base,
    id: ADDRESSES,
    type: 'symbol',
    filter: ['all', isPoint, ['has', 'address']],
    minzoom: ADDRESS_ZOOM,
    layout: {
      'text-field': street,
      'text-size': 12,
      'text-font': font,
      // Next to the icon of the issue, which is placed first.
      'text-variable-anchor-offset': ['top', [0, 1.6], 'bottom', [0, -1.6], 'left', [1.3, 0], 'right', [-1.3, 0]],
      'text-padding': 1,
    },
    paint: { 'text-color': colour('ink'), 'text-halo-color': colour('land'), 'text-halo-width': 2 },
  }
  return {
    below: [
      {
        ...base,
        id: SINGLES,
        type: 'symbol',
        filter: ['all', isCluster, isSingle],
        layout: { ...iconLayout(statusOfSingle), 'icon-size': 0.8, 'icon-ignore-placement': true },
      },
      ...(hasStreets ? [] : [addresses]),
      {
        ...base,
        id: POINTS,
        type: 'symbol',
        filter: isPoint,
        layout: pointLayout,
      },
    ],
    above: [
      {
        ...base,
        id: CLUSTERS,
        type: 'symbol',
        filter: isSeveral,
        layout: {
          'icon-image': ['concat', 'share-', ['to-string', ['round', ['*', SHARES, ['/', ['get', 'open'], count]]]]],
          'icon-size': sizeByCount(1 / CLUSTER_RADIUS_MAX),
          'icon-allow-overlap': true,
          // The circle of more issues covers others.
          'symbol-sort-key': count,
        },
      },
      {
        ...base,
        id: COUNTS,
        type: 'symbol',
        filter: isSeveral,
        layout: {
          'text-field': ['get', 'point_count_abbreviated'],
          'text-size': 12,
          'text-font': font,
          'text-padding': 1,
          // A circle that is not drawn takes the room of the number: of circles that overlap, only that of the most issues has one.
          'icon-image': 'share-0',
          'icon-size': sizeByCount(NUMBER_ROOM / CLUSTER_RADIUS_MAX),
          'icon-padding': 0,
          'symbol-sort-key': ['-', count],
        },
        paint: { 'text-color': colour('accent-ink'), 'icon-opacity': 0 },
      },
    ],
  }
}

const address: ExpressionSpecification = ['get', 'address']
/** The street and number without the city. */
const street: ExpressionSpecification = ['case', ['in', ',', address], ['slice', address, 0, ['index-of', ',', address]], address]
