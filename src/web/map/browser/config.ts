import type { FeatureCollection, Geometry } from 'geojson'

import type { Drawing } from './drawing.ts'

/** Data of the server for every map. */
export interface MapControls {
  /** Path of MapLibre's style sheet. */
  readonly stylesheet: string
  /** Path and query of the style of the base map, which also takes `scheme` and `own`. */
  readonly baseStyle: string
  /** The origin of PUBLIC_URL, with which absolute URLs of this service begin. */
  readonly publicOrigin: string
  /** True if `own=true` returns another style, for a base map that could not be loaded. */
  readonly canFallBack: boolean
  /** Path of an issue, with `{id}`. */
  readonly issue: string
  /** Path of the issue of a pin as JSON, with `{id}`. */
  readonly pinnedIssue: string
  /** Path of the newest issue of an area as JSON, without parameters. */
  readonly pinnedIssues: string
  /** Names of the statuses by their lower-case value. */
  readonly statusNames: Readonly<Record<string, string>>
  /** MapLibre's texts in the language of the page. */
  readonly controlTexts: Readonly<Record<string, string>>
}

/** West, south, east and north of the first view. */
export type Bounds = readonly [number, number, number, number]

export interface FirstView {
  readonly zoom: number
  readonly center: { readonly lng: number; readonly lat: number }
}

/** The link to a report at a point of a map. */
export interface ReportOffer {
  readonly path: string
  readonly text: string
}

/** Data of the server for the map of the home page, in the attribute `data-map` of its element. */
export interface MapConfig extends MapControls {
  /** Path of the TileJSON of the issues, without parameters. */
  readonly tileJson: string
  readonly drawing: Drawing
  readonly bounds: Bounds
  /** The first view, if it is not that of the bounds. */
  readonly view?: FirstView
  /** True if the bounds are those of a view: the map shows them without a margin. */
  readonly isView: boolean
  /** Path and query of GeoJSON that is drawn as outline: the place of the page. */
  readonly outline?: string
  /** The watch area of the page. */
  readonly area?: Geometry
  readonly offer: ReportOffer
  /** Path of the stream of changes without parameters, and the message of new issues with `%` for their number. */
  readonly changes: { readonly path: string; readonly texts: Readonly<Record<string, string>> }
  /** Messages for parts of the page that could not be loaded. */
  readonly failed: { readonly map: string; readonly list: string }
}

/** Data of the server for a map in the text of a page, in the attribute `data-map` of its element. */
export interface EmbeddedConfig extends MapControls {
  /** Path and query of the TileJSON of the issues; undefined for a map without issues. */
  readonly tileJson?: string
  readonly bounds: Bounds
  /** Path and query of GeoJSON that is drawn as outline. */
  readonly outline?: string
  /** Areas whose ids are those of sections of the page, `#area-{id}`, and points for areas that are small on the map. */
  readonly areas?: FeatureCollection
  /** Points with the id, status and summary of issues, instead of tiles. */
  readonly listed?: FeatureCollection
  /** Path and query of the stream of changes, and the message of new issues, or of changes of the issue of the page. */
  readonly changes?: { readonly path: string; readonly issue?: number; readonly texts: Readonly<Record<string, string>> }
  readonly offer?: ReportOffer
  /** The point of the page. */
  readonly pin?: { readonly lng: number; readonly lat: number }
}

export function readConfig<Config extends MapControls>(element: HTMLElement): Config {
  return JSON.parse(element.dataset['map'] ?? '') as Config
}
