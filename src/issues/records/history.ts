import Type, { type Static } from 'typebox'

import {
  EntriesRow,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  empty,
  join,
  optimizationFence,
  type Queryable,
  type Sql,
  sql,
} from '../../database/database.ts'
import { toGeoJsonPoint } from '../../geo/shapes.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import { type Transition, transitions } from '../../issue-lifecycle/transitions.ts'
import { outcomes, statuses } from '../../issue-lifecycle/status.ts'
import { filterPredicate, isEverywhere } from '../list/conditions.ts'
import type { IssueFilter } from '../list/filter.ts'
import { pageRows } from './queries.ts'
import { type HistoryFeature, type HistoryProperties, historyRoles } from './history-schema.ts'

/** A change of the status of an issue as one flat row, with the point of the issue. */
export const HistoryRecord = Type.Object({
  id: Id,
  issue_id: Id,
  from_status: stringEnum(statuses),
  to_status: stringEnum(statuses),
  at: Timestamp,
  actor_role: nullable(stringEnum(historyRoles)),
  outcome: nullable(stringEnum(outcomes)),
  lng: Type.Number(),
  lat: Type.Number(),
})
export type HistoryRecord = Static<typeof HistoryRecord>

const isOneOfChanges = (isIncluded: (trigger: Transition['trigger']) => boolean): Sql =>
  join(
    transitions
      .filter(({ trigger }) => isIncluded(trigger))
      .map(({ from, to }) => sql`(s.from_status = ${from} AND s.to_status = ${to})`),
    ' OR ',
  )

const isAutomatic = isOneOfChanges((trigger) => 'days' in trigger)
const needsEmployee = isOneOfChanges((trigger) => 'role' in trigger && trigger.role === 'employee')

/**
 * The role that the page of the issue shows: of the author of a public comment, or of the actor of a change without a comment. It does not
 * depend on who reported the issue, so that it tells nothing about an anonymous reporter. Memberships without a public role are private. Only employees
 * change a status without a comment, when they undo a run, and they may have left since.
 */
const publicRole = sql`
  CASE WHEN ${isAutomatic} THEN 'system' WHEN ${needsEmployee} THEN 'employee'
    WHEN s.comment_id IS NULL AND actor.id IS NOT NULL THEN 'employee' WHEN s.outcome = 'reported_fixed' AND actor.id IS NOT NULL THEN 'resident'
    WHEN actor.role IN ('Verified Official', 'Admin') THEN 'employee' WHEN actor.role IS NOT NULL THEN 'resident' END`

const actorJoins = sql`
  LEFT JOIN comments comment ON comment.id = s.comment_id AND comment.moderation_state = 'passed'
  LEFT JOIN users actor ON actor.id = CASE WHEN s.comment_id IS NULL THEN s.actor_id ELSE comment.commenter_id END`

const recordColumns = sql`
  s.id, s.issue_id, s.from_status, s.to_status, s.created_at AS at, ${publicRole} AS actor_role, s.outcome, i.lng, i.lat`

export interface HistorySelection {
  /** The filter of the issues; its bounds of `created_at` are those of the change. Its condition may use change `s`, too. */
  readonly filter: IssueFilter
  /** Conditions on changes `s` and issues `i`. */
  readonly conditions?: readonly Sql[]
}

interface HistoryPage extends HistorySelection {
  /** More columns of a row. */
  readonly columns?: Sql
  /** The sort keys, with the id last; the id if undefined. */
  readonly orderBy?: Sql
  readonly limit?: number
  readonly offset?: number | undefined
}

/** Returns the statement for the changes of public issues. The creation of an issue is no change. */
export const historyStatement = ({ columns = empty, orderBy = sql`s.id`, limit, offset, ...selection }: HistoryPage): Sql => sql`
  SELECT ${recordColumns}${columns}
  ${matchingChanges(selection, actorJoins)}
  ORDER BY ${orderBy} ${limit === undefined ? empty : pageRows(limit, offset)}`

export async function countHistory(db: Queryable, selection: HistorySelection): Promise<number> {
  const [total] = await db.query(sql.type(EntriesRow)`SELECT count(*)::integer AS entries ${matchingChanges(selection, empty)}`)
  return total?.entries ?? 0
}

/** A selective filter finds its issues first, whatever number of rows the planner estimates. */
function matchingChanges({ filter, conditions = [] }: HistorySelection, joins: Sql): Sql {
  const { createdFrom, createdBefore, condition, ...issueFilter } = filter
  const predicate = filterPredicate(issueFilter)
  const isSelective = !isEverywhere(filter.area) || filter.search !== undefined
  const changeConditions = [
    sql`s.from_status IS NOT NULL`,
    ...(createdFrom ? [sql`s.created_at >= ${createdFrom}::timestamptz`] : []),
    ...(createdBefore ? [sql`s.created_at < ${createdBefore}::timestamptz`] : []),
    ...(condition ? [condition] : []),
    ...conditions,
    ...(isSelective ? [] : [predicate]),
  ]
  const issues = isSelective ? sql`(SELECT i.* FROM issues i WHERE ${predicate} ${optimizationFence})` : sql`issues`
  return sql`FROM status_changes s JOIN ${issues} i ON i.id = s.issue_id ${joins} WHERE ${join(changeConditions, ' AND ')}`
}

/** Returns the columns of a change as GIS programs show them, the time in UTC to the second. */
function toHistoryProperties({ id, issue_id, from_status, to_status, at, actor_role, outcome }: HistoryRecord): HistoryProperties {
  return { id, issue_id, from_status, to_status, at: toTimestamp(at), actor_role, outcome }
}

/** Returns a change as a GeoJSON feature (RFC 7946) at the point of its issue. */
export const toHistoryFeature = (record: HistoryRecord): HistoryFeature => ({
  type: 'Feature',
  id: record.id,
  geometry: toGeoJsonPoint(record),
  properties: toHistoryProperties(record),
})
