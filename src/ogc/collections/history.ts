import Type from 'typebox'

import { sql } from '../../database/database.ts'
import { isInAreaByPointIndex } from '../../geo/area.ts'
import { parseHistoryQuery, type FilterQuery } from '../../gis/query.ts'
import { historyRow } from '../../gis/history-row.ts'
import { pointColumns } from '../../gis/issue-row.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { countHistory, HistoryRecord, historyStatement, toHistoryFeature } from '../../issues/records/history.ts'
import { HistoryProperties } from '../../issues/records/history-schema.ts'
import { type Collection, type Context, type Selection, HistoryParameters } from './collection.ts'
import { isAfter, keyValues, orderList, parseKeyValues } from './order.ts'

const allIssues: IssueFilter = { area: { kind: 'everywhere' }, statuses }

const PageRow = Type.Object({ ...HistoryRecord.properties, sort_keys: Type.String() })

export const historyCollection: Collection = {
  id: 'history',
  title: 'Changes',
  parameters: HistoryParameters,
  hasTiles: false,
  hasDownloads: true,
  description: 'The history of states: each change of the status of an issue, at its point.',
  properties: HistoryProperties,
  geometryType: 'Point',
  timeProperty: 'at',
  tableColumns: ['issue_id', 'from_status', 'to_status', 'at', 'actor_role'],
  row: historyRow,
  idColumn: sql`s.id`,
  publicRows: sql`
    status_changes s JOIN issues i ON i.id = s.issue_id
    WHERE s.from_status IS NOT NULL AND i.moderation_state = 'passed' AND i.point IS NOT NULL`,
  geometryColumn: sql`i.point`,
  // The CQL2 filter is one of the conditions of items.
  readFilter({ reader, areas, viewer }, query) {
    const { filter: _filter, ...others } = query as FilterQuery
    return parseHistoryQuery({ reader, areas }, others, viewer)
  },
  // The role of an actor changes without its issue.
  findVersion: () => Promise.resolve(undefined),
  countRows: ({ reader }, { filter = allIssues, box }) => countHistory(reader, { filter, conditions: inBox(box) }),
  readItems,
  async readItem({ reader }, id) {
    const statement = historyStatement({ filter: allIssues, conditions: [sql`s.id = ${id}::integer`], limit: 1 })
    const [record] = await reader.query(sql.type(HistoryRecord)`${statement}`)
    return record && toHistoryFeature(record)
  },
}

const inBox = (box: Selection['box']) => (box ? [isInAreaByPointIndex(pointColumns, { kind: 'box', box })] : [])

async function readItems({ reader }: Context, { filter = allIssues, box, conditions, order, position, offset, limit }: Selection) {
  const selection = { filter, conditions: [...inBox(box), ...conditions] }
  const after = position ? [isAfter(order, position)] : []
  const [entries, rows] = await Promise.all([
    countHistory(reader, selection),
    reader.query(
      sql.type(PageRow)`${historyStatement({
        ...selection,
        conditions: [...selection.conditions, ...after],
        columns: sql`, ${keyValues(order)} AS sort_keys`,
        orderBy: orderList(order),
        // One row more shows whether there is a next page.
        limit: limit + 1,
        offset,
      })}`,
    ),
  ])
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    entries,
    features: rows.slice(0, limit).map(toHistoryFeature),
    next: last && { values: parseKeyValues(last.sort_keys), id: last.id },
  }
}
