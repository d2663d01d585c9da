import { sql } from '../../database/database.ts'
import { parseFilterQuery } from '../../gis/filter.ts'
import { issueRow } from '../../gis/issue-row.ts'
import type { FilterQuery } from '../../gis/query.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { IssueParameters } from './parameter-names.ts'
import type { Collection } from './collection.ts'
import { countRows, findVersion, readFeatureTexts, readItem, readItems } from './issue-items.ts'

export const issueCollection: Collection = {
  id: 'issues',
  title: 'Issues',
  parameters: IssueParameters,
  hasTiles: true,
  hasDownloads: true,
  description: 'Reported problems as points, archived ones included.',
  properties: IssueProperties,
  geometryType: 'Point',
  timeProperty: 'created_at',
  tableColumns: ['summary', 'status', 'request_type', 'address', 'rating_count', 'created_at'],
  row: issueRow,
  idColumn: sql`i.id`,
  publicRows: sql`issues i WHERE i.moderation_state = 'passed' AND i.point IS NOT NULL`,
  geometryColumn: sql`i.point`,
  // The CQL2 filter is one of the conditions of items.
  readFilter({ reader, areas, viewer }, query) {
    const { filter: _filter, ...others } = query as FilterQuery
    return parseFilterQuery({ reader, areas }, others, viewer)
  },
  findVersion,
  countRows,
  readItems,
  readFeatureTexts,
  readItem,
}
