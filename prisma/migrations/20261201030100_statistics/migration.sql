-- Serves counts with archived issues (src/geo/pyramid/totals.ts) and statistics (src/statistics/statement.ts). It includes the columns that both compare, so
-- that the scans are index-only.
DROP INDEX issues_cell_idx;
CREATE INDEX issues_cell_idx ON issues (cell)
  INCLUDE (lng, lat, id, request_type_id, created_at, acknowledged_at, closed_at, reopened_at, status, outcome)
  WHERE moderation_state = 'passed';
