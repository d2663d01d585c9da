import { sql } from '../../database/database.ts'
import { attributionText, licenceText } from '../../http/formats/licence.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { HistoryRecord, historyStatement, toHistoryProperties } from '../../issues/records/history.ts'
import { HistoryProperties } from '../../issues/records/history-schema.ts'
import { toColumns } from '../columns.ts'
import type { TableContext } from './issue-table.ts'
import type { FeatureTable } from './spool.ts'
import type { Feature } from './writer.ts'

const columns = toColumns(HistoryProperties)
const names = columns.map(({ name }) => name) as (keyof HistoryProperties)[]

/** Returns the changes of the status of the issues of a filter, as features for a whole download. */
export function historyTable(
  { filter, afterId = 0 }: { readonly filter: IssueFilter; readonly afterId?: number | undefined },
  { urls, title, createdAt }: TableContext,
): FeatureTable {
  return {
    layer: {
      name: 'history',
      title,
      geometry: 'Point',
      columns,
      licence: licenceText,
      attribution: attributionText(urls),
      createdAt,
    },
    async *read(snapshot) {
      const statement = historyStatement({ filter, conditions: [sql`s.id > ${afterId}::integer`] })
      for await (const records of snapshot.batches(sql.type(HistoryRecord)`${statement}`)) yield records.map(toChange)
    },
  }
}

function toChange(record: HistoryRecord): Feature {
  const properties = toHistoryProperties(record)
  const geometry = { type: 'Point' as const, coordinates: [record.lng, record.lat] }
  return { id: record.id, geometry, values: names.map((name) => properties[name]) }
}
