import type { Feature, MultiPolygon, Point } from 'geojson'
import type { TObject } from 'typebox'

import type { Queryable as Reader, Sql } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Box } from '../../geo/box.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { WithPlaceNames } from '../../issues/records/place-names.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import type { Order, Position } from './order.ts'
import type { QueryableRow } from '../../gis/cql2/queryable.ts'

export type ItemFeature = Feature<Point | MultiPolygon, Readonly<Record<string, unknown>>> & { readonly id: number }

/** Everything that selects and orders items. */
export interface Selection {
  /** The filter of the parameters of `GET /issues`; undefined for other collections. */
  readonly filter: IssueFilter | undefined
  readonly box: Box | undefined
  /** Conditions on a row of the collection. */
  readonly conditions: readonly Sql[]
  /** True if a page and its total must evaluate the conditions once together. */
  readonly isCostly: boolean
  readonly order: Order
  readonly position: Position | undefined
  /** The number of items that are skipped; 0 with a position. */
  readonly offset: number
  readonly limit: number
  /** The names of the properties; undefined for all. */
  readonly properties: readonly string[] | undefined
}

/** Everything that the parameters of `GET /issues` refer to. */
export interface FilterContext {
  readonly reader: Reader
  readonly areas: AreaLookup
  readonly viewer: Viewer | null
}

export interface Context {
  readonly reader: Reader
  readonly viewer: Viewer | null
  readonly urls: Urls
  readonly withPlaceNames: WithPlaceNames
}

export interface ItemPage<Item = ItemFeature> {
  /** The exact number of selected items on all pages. */
  readonly entries: number
  readonly features: readonly Item[]
  /** The position of the last item; undefined on the last page. */
  readonly next: Position | undefined
}

/** A collection of OGC API Features. */
export interface Collection {
  readonly id: 'issues' | 'places' | 'history'
  readonly title: string
  readonly description: string
  /** The properties of a feature; a service has them all in every response. */
  readonly properties: TObject
  readonly geometryType: 'Point' | 'MultiPolygon'
  /** The property that `datetime` selects by. */
  readonly timeProperty: string | undefined
  /** The columns of the table on the HTML page. */
  readonly tableColumns: readonly string[]
  readonly row: QueryableRow
  readonly idColumn: Sql
  /** FROM and WHERE of the rows that anonymous callers may read. */
  readonly publicRows: Sql
  /** A geometry with a spatial index. */
  readonly geometryColumn: Sql
  /** The parameters of `GET /issues` that items accept in addition. */
  readonly parameters: TObject
  readonly hasTiles: boolean
  /** True if `/exports` has the whole collection. */
  readonly hasDownloads: boolean
  /** Returns the filter of these parameters. @throws Problem 422 for an invalid area or unknown ids */
  readFilter?(context: FilterContext, query: unknown): Promise<IssueFilter>
  /**
   * Returns a text that differs whenever a page of the selection may have changed for anonymous callers; undefined if it has none. Call it
   * before the page is read, with the same reader.
   */
  findVersion(context: Pick<Context, 'reader'>, selection: Selection): Promise<string | undefined>
  /** Returns the number of rows for which the conditions of a selection are evaluated. */
  countRows(context: Pick<Context, 'reader'>, selection: Pick<Selection, 'filter' | 'box'>): Promise<number>
  readItems(context: Context, selection: Selection): Promise<ItemPage>
  /** Returns the selected properties of items as texts of GeoJSON features. */
  readFeatureTexts?(context: Context, selection: Selection): Promise<ItemPage<string>>
  readItem(context: Context, id: number): Promise<ItemFeature | undefined>
}
