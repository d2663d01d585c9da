import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import type { Move } from '../issue-lifecycle/transitions.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import type { Reason } from '../content-policy/policy.ts'
import { authorOfItem } from './subject-texts.ts'
import { type SubjectType, subjectTypes } from '../content-policy/subject-types.ts'

export const itemStates = ['held', 'approved', 'rejected'] as const
export type ItemState = (typeof itemStates)[number]

export interface ItemRow {
  readonly id: number
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly state: ItemState
  readonly reasons: readonly Reason[]
  /** As it came, by the names of its fields. */
  readonly original: Readonly<Record<string, string | null>>
  readonly requested_move: Move | null
  readonly decided_by: UserSummaryRow | null
  readonly decided_at: string | null
  readonly created_at: string
  readonly note: string | null
  readonly rejection_reason: string | null
  /** Told to nobody: they may have reported without their name. */
  readonly author_id: number | null
}

export interface ItemFilter {
  readonly state: ItemState
  readonly subjectType?: SubjectType | undefined
}

const itemColumns = sql`
  m.id, m.subject_type, m.subject_id, m.state, m.reasons, m.original, m.requested_move, m.decided_at, m.created_at, m.note,
  m.rejection_reason, ${authorOfItem} AS author_id, ${userSummary(sql`u`)} AS decided_by`

/** The states are literals: the partial indexes are for them. */
const conditions = ({ state, subjectType }: ItemFilter): Sql => {
  const ofState = state === 'held' ? sql`m.state = 'held'` : sql`m.state <> 'held' AND m.state = ${state}`
  return sql`${ofState} AND m.subject_type IN (${join(subjectType ? [subjectType] : [...subjectTypes])})`
}

/** Oldest first, with the exact number over all pages. */
export async function listItems(db: Queryable, filter: ItemFilter, page: Page): Promise<{ entries: number; items: ItemRow[] }> {
  const [total] = await db.query<{ entries: number }>(sql`
    SELECT count(*)::integer AS entries FROM moderation_items m WHERE ${conditions(filter)}`)
  const items = await db.query<ItemRow>(sql`
    SELECT ${itemColumns}
    FROM moderation_items m
    LEFT JOIN users u ON u.id = m.decided_by
    WHERE ${conditions(filter)}
    ORDER BY m.created_at, m.id
    ${limitOf(page)}`)
  return { entries: total?.entries ?? 0, items }
}

/**
 * One item: any for a moderator; for its author as soon as it is known to them that it is there, so not while it is only flagged.
 * Undefined for everybody else.
 */
export async function findItem(db: Queryable, id: number, viewer: Viewer): Promise<ItemRow | undefined> {
  const isOwn = sql`${authorOfItem} = ${viewer.id} AND NOT (m.state = 'held' AND coalesce('flagged' = ANY(m.reasons), FALSE))`
  const [item] = await db.query<ItemRow>(sql`
    SELECT ${itemColumns}
    FROM moderation_items m
    LEFT JOIN users u ON u.id = m.decided_by
    WHERE m.id = ${id} AND m.subject_type IN (${join([...subjectTypes])}) AND ${viewer.isModerator ? sql`TRUE` : isOwn}`)
  return item
}
