import { sql } from '../database/database.ts'

/**
 * Columns of UPDATE issues `i` for a change that shows in public data. If the statement changes neither status, moderation state nor place, it also
 * needs `appendToChangeLog`. After statements without it a trigger does both, with another UPDATE.
 */
export const publicChange = sql`
  public_revision = i.public_revision + 1, all_changes_revision = i.all_changes_revision + 1, changed_at = clock_timestamp()`

/** Adds the change of a public issue to the change log. The statement has a CTE `issue` with the columns `cell` and `status`. */
export const appendToChangeLog = sql`
  INSERT INTO issue_changes (cell, former_status, status, revised) SELECT issue.cell, issue.status, issue.status, TRUE FROM issue`
