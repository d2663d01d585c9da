import type { Feature, MultiPolygon, Point } from 'geojson'
import Type, { type TObject } from 'typebox'

import type { Queryable as Reader, Sql } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Box } from '../../geo/shapes.ts'
import type { QueryableRow } from '../../gis/cql2/queryable.ts'
import { itemParameters } from '../../gis/ogc/parameters.ts'
import { DownloadQuery, HistoryQuery } from '../../gis/query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import type { WithPlaceNames } from '../../issues/records/columns.ts'
import type { Order, Position } from './order.ts'

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
interface FilterContext {
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

/** In OGC API, `address` is the property of that name, not a text for the geocoder. All collections have CQL2 filters. */
const {
  address: _address,
  filter: _filter,
  'filter-lang': _filterLanguage,
  'filter-crs': _filterCrs,
  ...filterProperties
} = DownloadQuery.properties

/** The parameters of `GET /issues` that issues accept in addition. */
export const IssueParameters = Type.Object(filterProperties)

const { after, before } = HistoryQuery.properties

/** The same for changes of the status, which the times select. */
export const HistoryParameters = Type.Object({ ...filterProperties, after, before })

/** Parameters of `GET /issues` that are lists, and may be repeated as `name[]`. */
export const listParameters: readonly string[] = Object.entries(filterProperties as Record<string, { type?: unknown }>)
  .filter(([, { type }]) => type === 'array')
  .map(([name]) => name)

export const parameterNames = (collection: Collection): readonly string[] => [
  ...new Set([...itemParameters, ...Object.keys(collection.parameters.properties), ...collection.row.queryables.keys()]),
]

/** Returns the queryables that are parameters. Issues have `status` as the list does, in either case and with several values. */
export const propertyParameters = (collection: Collection) =>
  [...collection.row.queryables.values()].filter(({ name }) => !Object.hasOwn(collection.parameters.properties, name))

interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** Returns type, format and values of a property as features have them. */
export function nullablePropertySchema({ properties }: Collection, name: string): PropertySchema {
  const { type, format, enum: values, description } = (properties.properties as Record<string, PropertySchema>)[name] ?? {}
  return Object.fromEntries(Object.entries({ type, format, enum: values, description }).filter(([, value]) => value !== undefined))
}

/** Returns the same without null. A nullable property has the type of its other values, as Part 5 describes it. */
export function propertySchema(collection: Collection, name: string): PropertySchema {
  const { type, enum: values, ...others } = nullablePropertySchema(collection, name)
  const [first = 'string'] = [type ?? []].flat().filter((one) => one !== 'null')
  return { type: first, ...others, ...(values === undefined ? {} : { enum: values.filter((value) => value !== null) }) }
}
