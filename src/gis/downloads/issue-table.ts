import { sql } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { attributionText, licenceText } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toIssueProperties } from '../../issues/records/present.ts'
import { IssueRecord, recordColumns } from '../../issues/records/columns.ts'
import { type RecordSelection, recordsStatement } from '../../issues/records/queries.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { toColumns } from '../columns.ts'
import type { FeatureTable } from './spool.ts'
import type { Feature, Layer } from './writer.ts'

const columns = toColumns(IssueProperties)
const names = columns.map(({ name }) => name) as (keyof IssueProperties)[]

export interface TableContext {
  readonly urls: Urls
  readonly title: string
  readonly createdAt: string
}

export interface TableSelection extends Omit<RecordSelection, 'rowColumns'> {
  readonly viewer: Viewer | null
}

/** Returns the issues of a selection as features for a whole download. */
export function issueTable({ viewer, ...selection }: TableSelection, { urls, title, createdAt }: TableContext): FeatureTable {
  const layer: Layer = {
    name: 'issues',
    title,
    geometry: 'Point',
    columns,
    licence: licenceText,
    attribution: attributionText(urls),
    createdAt,
  }
  return {
    layer,
    async *read(snapshot) {
      const statement = recordsStatement({ ...selection, rowColumns: recordColumns(viewer) })
      for await (const records of snapshot.batches(sql.type(IssueRecord)`${statement}`))
        yield records.map((record) => toIssueFeature(record, urls))
    },
  }
}

function toIssueFeature(record: IssueRecord, urls: Urls): Feature {
  const { id, lng, lat } = record
  const properties = toIssueProperties(record, urls)
  return { id, geometry: { type: 'Point', coordinates: [lng, lat] }, values: names.map((name) => properties[name]) }
}
