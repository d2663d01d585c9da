import Type, { type Static, type TSchema } from 'typebox'

import { sql, type Queryable, type Sql, isOneOf, prepared } from '../../database/database.ts'
import { parseFilterQuery, type FilterQuery } from '../../gis/query.ts'
import { issueRow, pointColumns } from '../../gis/issue-row.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { IssueParameters, type Collection, type Context, type ItemFeature, type ItemPage, type Selection } from './collection.ts'
import { isInAreaByPointIndex } from '../../geo/area.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { isEverywhere } from '../../issues/list/conditions.ts'
import { countIssues } from '../../issues/list/overview.ts'
import { hasOnlyAreaAndStatuses, type IssueFilter } from '../../issues/list/filter.ts'
import { scansCells, findListVersion } from '../../issues/list/statement.ts'
import {
  IssueRecord,
  placeSetLater,
  recordColumns,
  type RowColumns,
  featureTextColumns,
  FeatureTextRow,
  showsPlace,
  toFeatureText,
  PointText,
  pointText,
} from '../../issues/records/columns.ts'
import { toFeature } from '../../issues/records/present.ts'
import { countMatchingIssues, findIdPage, orderedRecordsStatement, recordsStatement } from '../../issues/records/queries.ts'
import { isAfter, keyValues, orderList, parseKeyValues } from './order.ts'

/** `GET /issues/:id` also shows archived issues. */
const allIssues: IssueFilter = { area: { kind: 'everywhere' }, statuses }

const SortKeys = Type.Object({ sort_keys: Type.String() })
const RecordRow = Type.Object({ ...IssueRecord.properties, ...PointText.properties, ...SortKeys.properties })
const TextRow = Type.Object({ ...FeatureTextRow.properties, ...SortKeys.properties })

async function readItem({ reader, viewer, urls }: Context, id: number): Promise<ItemFeature | undefined> {
  const conditions = [sql`i.id = ${id}::integer`]
  const rowColumns = recordColumns(viewer)
  const statement = orderedRecordsStatement({ filter: allIssues, rowColumns, conditions, orderBy: sql`i.id`, limit: 1 })
  const [record] = await reader.query(sql.type(IssueRecord)`${statement}`)
  return record && toFeature(record, urls)
}

/** Returns features with all properties; the place is null if no selected property shows it. */
async function readItems(context: Context, selection: Selection): Promise<ItemPage> {
  const { reader, viewer, urls } = context
  const { columns, joins } = recordColumns(viewer, placeSetLater)
  const { rows, ...page } = await readRows(
    context,
    selection,
    { columns: sql`${columns}, ${pointText}`, joins },
    readAs(reader, RecordRow),
  )
  return { ...page, features: rows.map((row) => toFeature(row, urls)) }
}

async function readFeatureTexts(context: Context, selection: Selection): Promise<ItemPage<string>> {
  const { reader, viewer, urls } = context
  const { rows, ...page } = await readRows(
    context,
    selection,
    featureTextColumns(selection.properties, viewer, urls),
    readAs(reader, TextRow),
  )
  const hasPlace = showsPlace(selection.properties)
  return { ...page, features: rows.map((row) => toFeatureText(row, hasPlace)) }
}

const readAs =
  <Row extends TSchema>(reader: Queryable, row: Row) =>
  (records: Sql, isPreparable = false): Promise<Static<Row>[]> => {
    const statement = sql.type(row)`${records}`
    if (isPreparable) prepared(statement)
    return reader.query(statement)
  }

type PageRow = Pick<FeatureTextRow, 'id' | 'place_url_name' | 'point_text'> & Static<typeof SortKeys>

async function readRows<Row extends PageRow>(
  { reader, withPlaceNames }: Context,
  selection: Selection,
  { columns, joins }: RowColumns,
  read: (statement: Sql, isPreparable?: boolean) => Promise<readonly Row[]>,
) {
  const { order, position, offset, limit, properties, isCostly } = selection
  const { filter, conditions } = toFilter(selection)
  const rowColumns = { columns: sql`${columns}, ${keyValues(order)} AS sort_keys`, joins }
  const hasPlace = showsPlace(properties)
  if (isCostly) {
    const after = position ? isAfter(order, position) : sql`TRUE`
    const found = await findIdPage(reader, { filter, conditions, after, orderBy: orderList(order), limit: limit + 1, offset })
    const isOnPage = [isOneOf(sql`i.id`, found.ids)]
    const ids = { filter: allIssues, rowColumns, conditions: isOnPage, orderBy: orderList(order), limit: limit + 1 }
    const readPage = () => read(orderedRecordsStatement(ids))
    return toPage(found.entries, await (hasPlace ? withPlaceNames(reader, readPage) : readPage()), limit)
  }
  const isSortedById = order.keys.length === 0 && conditions.length === 0
  // One row more shows whether there is a next page.
  const statement = isSortedById
    ? recordsStatement({ filter, rowColumns, afterId: position?.id, limit: limit + 1, offset })
    : orderedRecordsStatement({
        filter,
        rowColumns,
        conditions: position ? [...conditions, isAfter(order, position)] : conditions,
        orderBy: orderList(order),
        limit: limit + 1,
        offset,
      })
  // Planning takes a sixth of the time of 1,000 features. Other statements have too many texts, or plans that depend on the values.
  const isPreparable = isSortedById && properties === undefined && hasOnlyAreaAndStatuses(filter) && scansCells(filter)
  const readPage = () => read(statement, isPreparable)
  const [entries, rows] = await Promise.all([
    countMatchingIssues(reader, filter, conditions),
    hasPlace ? withPlaceNames(reader, readPage) : readPage(),
  ])
  return toPage(entries, rows, limit)
}

/** @param rows one row more than the page has, if there is a next page */
function toPage<Row extends PageRow>(entries: number, rows: readonly Row[], limit: number) {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    entries,
    rows: rows.slice(0, limit),
    next: last && { values: parseKeyValues(last.sort_keys), id: last.id },
  }
}

async function countRows({ reader }: Pick<Context, 'reader'>, { filter, box }: Pick<Selection, 'filter' | 'box'>) {
  return countIssues(reader, toFilter({ filter, box, conditions: [] }).filter)
}

async function findVersion({ reader }: Pick<Context, 'reader'>, selection: Selection): Promise<string> {
  return (await findListVersion(reader, toFilter(selection).filter.area)).version
}

/** The box is the area if no parameter selects another one, so that the pyramid counts it. */
function toFilter({ filter = allIssues, box, conditions }: Pick<Selection, 'filter' | 'box' | 'conditions'>) {
  const isOnlyArea = box !== undefined && isEverywhere(filter.area)
  const inBox = box && !isOnlyArea ? [isInAreaByPointIndex(pointColumns, { kind: 'box', box })] : []
  return {
    filter: isOnlyArea ? { ...filter, area: { kind: 'box' as const, box } } : filter,
    conditions: [...inBox, ...conditions],
  }
}

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
