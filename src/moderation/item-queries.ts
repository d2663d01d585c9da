import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { transitionNames } from '../issue-lifecycle/transitions.ts'
import { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import { reasons } from '../content-policy/policy.ts'
import { itemAuthorId } from './subject-texts.ts'
import { type SubjectType, subjectTypes } from '../content-policy/subject-types.ts'

/** `held` is the stored value for pending: no moderator has decided. Subjects have states of their own (`moderationStates`). */
export const itemStates = ['held', 'approved', 'rejected'] as const
export type ItemState = (typeof itemStates)[number]

const ItemRow = Type.Object({
  id: Id,
  subject_type: stringEnum(subjectTypes),
  subject_id: Id,
  state: stringEnum(itemStates),
  reasons: Type.Array(stringEnum(reasons)),
  original: Type.Record(Type.String(), nullable(Type.String())),
  requested_transition: nullable(stringEnum(transitionNames)),
  decided_by: nullable(UserSummaryRow),
  decided_at: nullable(Timestamp),
  created_at: Timestamp,
  note: nullable(Type.String()),
  rejection_reason: nullable(Type.String()),
  /** The author is never returned by the API, because the report may be anonymous. */
  author_id: nullable(Id),
})
export type ItemRow = Static<typeof ItemRow>

export interface ItemFilter {
  readonly state: ItemState
  readonly subjectType?: SubjectType | undefined
}

const itemColumns = sql`
  item.id, item.subject_type, item.subject_id, item.state, item.reasons, item.original, item.requested_transition, item.decided_at, item.created_at, item.note,
  item.rejection_reason, ${itemAuthorId} AS author_id, ${userSummary(sql`u`)} AS decided_by`

/** The states are literals so that the planner can use the partial indexes. */
const conditions = ({ state, subjectType }: ItemFilter): Sql => {
  const stateCondition = state === 'held' ? sql`item.state = 'held'` : sql`item.state <> 'held' AND item.state = ${state}`
  return sql`${stateCondition} AND item.subject_type IN (${join(subjectType ? [subjectType] : [...subjectTypes])})`
}

const EntriesRow = Type.Object({ entries: Count })

/** Returns the number of items that wait for a decision, at most `limit`. */
export async function countPendingItems(db: Queryable, limit: number): Promise<number> {
  const [total] = await db.query(sql.type(EntriesRow)`
    SELECT count(*)::integer AS entries FROM (SELECT item.id FROM moderation_items item WHERE item.state = 'held' LIMIT ${limit}::integer) item`)
  return total?.entries ?? 0
}

export async function listItems(db: Queryable, filter: ItemFilter, page: Page): Promise<{ entries: number; items: ItemRow[] }> {
  const [total] = await db.query(sql.type(EntriesRow)`
    SELECT count(*)::integer AS entries FROM moderation_items item WHERE ${conditions(filter)}`)
  const items = await db.query(sql.type(ItemRow)`
    SELECT ${itemColumns}
    FROM moderation_items item
    LEFT JOIN users u ON u.id = item.decided_by
    WHERE ${conditions(filter)}
    ORDER BY item.created_at, item.id
    ${limitClause(page)}`)
  return { entries: total?.entries ?? 0, items }
}

/** Returns undefined for callers other than moderators and the author. Authors do not see items that are only flagged. */
export async function findItem(db: Queryable, id: number, viewer: Viewer): Promise<ItemRow | undefined> {
  const isOwn = sql`${itemAuthorId} = ${viewer.id} AND NOT (item.state = 'held' AND coalesce('flagged' = ANY(item.reasons), FALSE))`
  const [item] = await db.query(sql.type(ItemRow)`
    SELECT ${itemColumns}
    FROM moderation_items item
    LEFT JOIN users u ON u.id = item.decided_by
    WHERE item.id = ${id} AND item.subject_type IN (${join([...subjectTypes])}) AND ${viewer.isModerator ? sql`TRUE` : isOwn}`)
  return item
}
