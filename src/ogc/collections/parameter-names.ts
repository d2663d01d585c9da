import Type from 'typebox'

import { itemParameters } from '../../gis/ogc/parameters.ts'
import { DownloadQuery, HistoryQuery } from '../../gis/query.ts'
import type { Collection } from './collection.ts'

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
