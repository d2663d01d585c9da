import type { CopyValue } from '../../../src/database/copy-database.ts'
import type { DraftIssue, DraftComment, StatusChange } from '../drafts.ts'

/** Rows of one table. Each row has its values in the order of `columns`. */
export interface TableRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly CopyValue[])[]
}

export const tablesWithIds = [
  ...['places', 'users', 'email_addresses', 'organizations', 'request_types', 'request_type_questions', 'issues', 'issue_answers'],
  ...['comments', 'status_changes', 'questions', 'answers', 'watch_areas', 'moderation_items', 'media'],
] as const

/** The highest id of each table. The ids of the demo begin after it. */
export type LastIds = Readonly<Record<(typeof tablesWithIds)[number], number>>

export interface IssueRows {
  readonly issues: TableRows
  readonly comments: TableRows
  readonly statusChanges: TableRows
  readonly votes: TableRows
  readonly follows: TableRows
  readonly answers: TableRows
  readonly issueId: ReadonlyMap<DraftIssue, number>
  readonly commentId: ReadonlyMap<DraftComment, number>
  readonly statusChangeId: ReadonlyMap<StatusChange, number>
}
