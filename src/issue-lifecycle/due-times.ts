import { type Sql, sql } from '../database/database.ts'

/**
 * Copies the times after which issues are late to `issues`, where indexes of lists have them. Run it after each change of `issue_targets`. The revision is
 * increased here, so that the trigger of `issues` does not update the row once more.
 * @param condition on issue `one`
 */
export const copyDueTimes = (condition: Sql): Sql => sql`
  UPDATE issues i SET acknowledge_due = due.acknowledge_due, close_due = due.close_due, all_changes_revision = i.all_changes_revision + 1
  FROM (
    SELECT one.id, CASE WHEN t.acknowledge_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.acknowledge_by END AS acknowledge_due,
      CASE WHEN t.close_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.close_by END AS close_due
    FROM issues one LEFT JOIN issue_targets t ON t.issue_id = one.id WHERE ${condition}) due
  WHERE due.id = i.id AND (i.acknowledge_due, i.close_due) IS DISTINCT FROM (due.acknowledge_due, due.close_due)`
