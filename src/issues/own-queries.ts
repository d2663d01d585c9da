import Type, { type Static } from 'typebox'

import { Count, stringEnum, type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { moderationStates, type Status, statuses } from '../issue-lifecycle/status.ts'
import { issueColumns, IssueRow, relatedColumns } from './queries.ts'

/** A status stands for public issues only. */
export type OwnState = Status | 'held' | 'rejected'
type CountByState = Readonly<Partial<Record<OwnState, number>>>

const OwnIssueRow = Type.Object({
  ...IssueRow.properties,
  moderation_state: stringEnum(moderationStates),
  anonymous: Type.Boolean(),
})
export type OwnIssueRow = Static<typeof OwnIssueRow>

const StateCount = Type.Object({ state: stringEnum([...statuses, 'held', 'rejected']), issues: Count })

export interface OwnIssues {
  readonly counts: CountByState
  /** The number of issues in the state, or of all. */
  readonly entries: number
  readonly issues: readonly OwnIssueRow[]
}

const state = sql`CASE i.moderation_state WHEN 'passed' THEN i.status::text ELSE i.moderation_state::text END`

/** Returns the viewer's reports, newest first, with anonymous, held and rejected ones. Only their reporter may see the list. */
export function listOwnReports(db: Queryable, viewer: Viewer, only: OwnState | undefined, page: Page): Promise<OwnIssues> {
  return listIssues(db, sql`i.reporter_id = ${viewer.id}`, { viewer, only, page, order: sql`i.created_at DESC, i.id DESC` })
}

/** Returns the public issues that the viewer follows, those with the latest changes first. */
export function listFollowedIssues(db: Queryable, viewer: Viewer, only: OwnState | undefined, page: Page): Promise<OwnIssues> {
  const isFollowed = sql`i.moderation_state = 'passed'
    AND i.id IN (SELECT followed.issue_id FROM follows followed WHERE followed.user_id = ${viewer.id})`
  return listIssues(db, isFollowed, { viewer, only, page, order: sql`i.updated_at DESC, i.id DESC` })
}

interface List {
  readonly viewer: Viewer
  readonly only: OwnState | undefined
  readonly page: Page
  readonly order: Sql
}

async function listIssues(db: Queryable, condition: Sql, { viewer, only, page, order }: List): Promise<OwnIssues> {
  const rows = await db.query(sql.type(StateCount)`
    SELECT ${state} AS state, count(*)::integer AS issues FROM issues i WHERE ${condition} GROUP BY 1`)
  const counts = Object.fromEntries(rows.map((row) => [row.state, row.issues])) as CountByState
  const entries = rows.reduce((sum, row) => (only === undefined || row.state === only ? sum + row.issues : sum), 0)
  if ((page.page - 1) * page.perPage >= entries) return { counts, entries, issues: [] }
  const issues = await db.query(sql.type(OwnIssueRow)`
    SELECT ${issueColumns}, i.moderation_state, i.anonymous, ${relatedColumns(viewer)}
    FROM issues i
    WHERE ${condition} AND ${only === undefined ? sql`TRUE` : sql`${state} = ${only}`}
    ORDER BY ${order}
    ${limitClause(page)}`)
  return { counts, entries, issues }
}
