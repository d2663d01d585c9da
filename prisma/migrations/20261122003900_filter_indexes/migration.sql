-- What filters beside area and status compare (docs/adr/0037), so that nothing but an index is read to count them: of a million issues the table
-- is nine hundred megabytes, and a filter that a third of them pass needs nearly all of its pages.
--
-- Along the cells of an area (src/issues/matching.ts), and for all issues that have no narrower index: everything but words. Archived issues, which
-- are most of an old city's, are asked for by name alone. Those of fixed width come first, which are read faster.
CREATE INDEX issues_current_cell_idx ON issues (cell)
  INCLUDE (lng, lat, created_at, updated_at, id, request_type_id, rating, assignee_id, status)
  WHERE moderation_state = 'passed' AND status <> 'Archived';

-- A month or a type of everywhere. Without the status the planner would sooner read all of the index above than a hundredth of the table.
DROP INDEX issues_created_at_idx, issues_updated_at_idx, issues_request_type_id_idx;
CREATE INDEX issues_created_at_idx ON issues (created_at, id) INCLUDE (status) WHERE moderation_state = 'passed';
CREATE INDEX issues_updated_at_idx ON issues (updated_at, id) INCLUDE (status) WHERE moderation_state = 'passed';
-- Not partial: whoever deletes a type looks for the held ones, too.
CREATE INDEX issues_request_type_id_idx ON issues (request_type_id, created_at, id) INCLUDE (status, moderation_state);
