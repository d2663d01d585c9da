-- The times after which an issue is late, from issue_targets, so that lists of staff read them from an index. It is the last day of the year 9999 while a pause
-- stops the clock in time. The status decides which step is pending.
ALTER TABLE issues ADD COLUMN acknowledge_due timestamptz(3), ADD COLUMN close_due timestamptz(3);

UPDATE issues i SET
  acknowledge_due = CASE WHEN t.acknowledge_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.acknowledge_by END,
  close_due = CASE WHEN t.close_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.close_by END,
  all_changes_revision = i.all_changes_revision + 1
FROM issue_targets t WHERE t.issue_id = i.id;

-- The times of issue_targets are no longer compared.
DROP INDEX issue_targets_acknowledge_by_idx;
DROP INDEX issue_targets_close_by_idx;

-- Lists of staff by request type (src/staff/worklist/worklist.ts) are index-only scans: this index has the columns of their filters, and the next one also the
-- due times, for issues that are not archived.
DROP INDEX issues_request_type_id_idx;
CREATE INDEX issues_request_type_id_idx ON issues (request_type_id, created_at, id)
  INCLUDE (status, moderation_state, lng, lat, priority, assignee_id, outcome);
CREATE INDEX issues_current_type_idx ON issues (request_type_id, created_at, id)
  INCLUDE (status, priority, lng, lat, acknowledge_due, close_due, acknowledged_at, reopened_at, assignee_id, outcome)
  WHERE moderation_state = 'passed' AND status <> 'Archived';
-- These serve the orders `target` and `priority` and the filter `late`, with the same expressions (src/staff/targets/conditions.ts, src/staff/worklist/worklist.ts).
CREATE INDEX issues_due_idx ON issues (coalesce(least(
    CASE WHEN status = 'Open' AND acknowledged_at IS NULL THEN acknowledge_due END,
    CASE WHEN status IN ('Open', 'Acknowledged') THEN close_due END), '9999-12-31 00:00:00+00'::timestamptz), id)
  WHERE moderation_state = 'passed';
CREATE INDEX issues_priority_idx ON issues
  ((((created_at AT TIME ZONE 'UTC') + (3 - priority) * interval '1000 years') AT TIME ZONE 'UTC'), id) WHERE moderation_state = 'passed';
