import type { Feature, MultiPolygon, Point } from 'geojson'
import Type, { type TObject, type TProperties } from 'typebox'

import { type Queryable, sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { attributionText, licenceText } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { IssueRecord, recordColumns } from '../../issues/records/columns.ts'
import { HistoryRecord, historyStatement, toHistoryFeature } from '../../issues/records/history.ts'
import { HistoryProperties } from '../../issues/records/history-schema.ts'
import { toFeature } from '../../issues/records/present.ts'
import { type RecordSelection, recordsStatement } from '../../issues/records/queries.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { toPlaceFeature } from '../../places/records/present.ts'
import { PlaceRecord, placeRecordsStatement } from '../../places/records/queries.ts'
import { PlaceProperties } from '../../places/records/schema.ts'
import { toColumns } from '../columns.ts'
import { touchesArea } from '../place-area.ts'
import type { FeatureTable } from './spool.ts'
import type { Layer } from './writer.ts'

/* The features of whole downloads. */

interface TableContext {
  readonly urls: Urls
  readonly title: string
  readonly createdAt: string
}

type Row = Feature<Point | MultiPolygon, Readonly<Record<string, string | number | null>>> & { readonly id: number }

/** @param read reads the features in batches */
function toTable(
  { area, ...layer }: Pick<Layer, 'name' | 'geometry'> & { readonly area: Area },
  properties: TObject,
  { urls, ...context }: TableContext,
  read: (snapshot: Parameters<FeatureTable['read']>[0]) => AsyncIterable<readonly Row[]>,
): FeatureTable {
  const columns = toColumns(properties)
  return {
    area,
    layer: { ...layer, ...context, columns, licence: licenceText, attribution: attributionText(urls) },
    async *read(snapshot) {
      for await (const rows of read(snapshot))
        yield rows.map((row) => ({ ...row, values: columns.map(({ name }) => row.properties[name] ?? null) }))
    },
  }
}

interface TableSelection extends Omit<RecordSelection, 'rowColumns'> {
  readonly viewer: Viewer | null
  readonly added?: AddedColumns | undefined
}

/** Columns after those that all readers see. */
export interface AddedColumns {
  readonly properties: TProperties
  read(snapshot: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, Row['properties']>>
}

/** Returns the issues of a selection. */
export function issueTable({ viewer, added, ...selection }: TableSelection, context: TableContext): FeatureTable {
  const properties = Type.Object({ ...IssueProperties.properties, ...added?.properties })
  return toTable(
    { name: 'issues', geometry: 'Point', area: selection.filter.area },
    properties,
    context,
    async function* (snapshot) {
      const statement = recordsStatement({ ...selection, rowColumns: recordColumns(viewer) })
      for await (const records of snapshot.batches(sql.type(IssueRecord)`${statement}`)) {
        const ids = records.map(({ id }) => id)
        const others = await added?.read(snapshot, ids)
        yield records.map((record) => {
          const feature = toFeature(record, context.urls)
          return others ? { ...feature, properties: { ...feature.properties, ...others.get(record.id) } } : feature
        })
      }
    },
  )
}

/** Returns the changes of the status of the issues of a filter. */
export const historyTable = (
  { filter, afterId = 0 }: { readonly filter: IssueFilter; readonly afterId?: number | undefined },
  context: TableContext,
): FeatureTable =>
  toTable({ name: 'history', geometry: 'Point', area: filter.area }, HistoryProperties, context, async function* (snapshot) {
    const statement = historyStatement({ filter, conditions: [sql`s.id > ${afterId}::integer`] })
    for await (const records of snapshot.batches(sql.type(HistoryRecord)`${statement}`)) yield records.map(toHistoryFeature)
  })

/** A boundary can have some megabytes. */
const BATCH_PLACES = 20

/** Returns the places whose boundary touches the area. */
export const placeTable = (
  { area, afterId }: { readonly area: Area; readonly afterId?: number | undefined },
  context: TableContext,
): FeatureTable =>
  toTable({ name: 'places', geometry: 'MultiPolygon', area }, PlaceProperties, context, async function* (snapshot) {
    let lastId = afterId
    for (;;) {
      const statement = placeRecordsStatement({ condition: touchesArea(area), afterId: lastId, limit: BATCH_PLACES })
      const records = await snapshot.query(sql.type(PlaceRecord)`${statement}`)
      if (records.length === 0) return
      yield records.map((record) => toPlaceFeature(record, context.urls))
      lastId = records.at(-1)?.id
    }
  })
