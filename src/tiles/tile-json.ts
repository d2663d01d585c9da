import Type, { type Static } from 'typebox'

import { html } from '../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../http/formats/licence.ts'
import type { Urls } from '../http/request/urls.ts'
import type { Bounds } from './area-bounds.ts'
import { LAYER } from './read-tile.ts'
import { ZOOM_MAX } from './tile-grid.ts'

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

/** The fields of single issues, then those of clusters. */
export const layerFields = {
  id: { type: 'number', description: 'Id of the issue; also the id of the feature.' },
  status: { type: 'string', description: 'Open, Acknowledged, Closed or Archived.' },
  request_type_id: { type: 'number', description: 'Id of the request type; missing if the issue has none.' },
  rating: { type: 'number', description: 'Votes and acknowledgement.' },
  summary: { type: 'string', description: 'From zoom 15 on.' },
  address: { type: 'string', description: 'From zoom 15 on; missing if the issue has none.' },
  cluster: { type: 'boolean', description: 'True if the feature stands for several issues.' },
  point_count: { type: 'number', description: 'Matching issues of the cluster.' },
  point_count_abbreviated: { type: 'string', description: 'The same, such as 1.2k.' },
  open: { type: 'number', description: 'Matching issues of the cluster with this status.' },
  acknowledged: { type: 'number', description: 'The same for Acknowledged.' },
  closed: { type: 'number', description: 'The same for Closed.' },
  archived: { type: 'number', description: 'The same for Archived.' },
  cluster_zoom: { type: 'number', description: 'A zoom that divides the cluster.' },
}

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
