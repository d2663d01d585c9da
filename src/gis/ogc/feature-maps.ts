import type { Feature, MultiPolygon, Point } from 'geojson'

import type { Queryable } from '../../database/database.ts'
import type { PageMap } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'

export type MapFeature = Feature<Point | MultiPolygon, Readonly<Record<string, unknown>>> & { readonly id: number }

export interface FeatureMap {
  readonly drawing: SafeHtml
  readonly files: PageMap
}

/** The maps of the service for pages of features. src/web/ogc implements them, because this folder may not import those of pages. */
export interface FeatureMaps {
  /** Returns a map of the rows of a page; undefined without features. */
  ofRows(reader: Queryable, features: readonly MapFeature[], label: string): Promise<FeatureMap | undefined>
  /** Returns a map of one feature and its surroundings. */
  ofFeature(reader: Queryable, feature: MapFeature, label: string): Promise<FeatureMap | undefined>
}

/** Returns the attributes by which the map of a page finds the row of a feature. */
export function rowAttributes({ id, geometry }: MapFeature): SafeHtml {
  if (geometry.type !== 'Point') return html` id="area-${id}" data-area="${id}" tabindex="-1"`
  const [lng, lat] = geometry.coordinates
  return html` data-issue="${id}" data-lng="${lng}" data-lat="${lat}"`
}
