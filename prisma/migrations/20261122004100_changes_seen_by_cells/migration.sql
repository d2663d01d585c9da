-- What is not yet added up, as it adds to `issue_cells`. Under the name of the table that had it before (docs/adr/0040), which is empty: its readers go on.
DROP TABLE issue_cell_changes;
CREATE VIEW issue_cell_changes AS
  SELECT c.cell,
    (c.status IS NOT DISTINCT FROM 'Open')::integer - (c.former_status IS NOT DISTINCT FROM 'Open')::integer AS open,
    (c.status IS NOT DISTINCT FROM 'Acknowledged')::integer - (c.former_status IS NOT DISTINCT FROM 'Acknowledged')::integer AS acknowledged,
    (c.status IS NOT DISTINCT FROM 'Closed')::integer - (c.former_status IS NOT DISTINCT FROM 'Closed')::integer AS closed,
    (c.status IS NOT DISTINCT FROM 'Archived')::integer - (c.former_status IS NOT DISTINCT FROM 'Archived')::integer AS archived,
    CASE WHEN c.status IS NOT NULL AND c.former_status IS NOT NULL THEN c.revised::integer
      ELSE (c.status IS NOT NULL OR c.former_status IS NOT NULL)::integer END AS changes,
    1 AS inner_changes,
    c.ctid AS place_in_table
  FROM issue_changes c;

-- As before, of the view.
CREATE OR REPLACE FUNCTION fold_issue_cells(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  folded integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('fold_issue_cells')) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM issue_cell_changes u
    WHERE u.place_in_table = ANY(ARRAY(SELECT t.ctid FROM issue_changes t LIMIT most))
    RETURNING u.*),
  by_finest AS (
    SELECT t.cell, sum(t.open) AS open, sum(t.acknowledged) AS acknowledged, sum(t.closed) AS closed, sum(t.archived) AS archived,
      sum(t.changes) AS changes, sum(t.inner_changes) AS inner_changes
    FROM taken t GROUP BY t.cell),
  added AS (
    INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, changes, inner_changes)
    SELECT f.cell >> (2 * up.levels) AS cell, sum(f.open), sum(f.acknowledged), sum(f.closed), sum(f.archived), sum(f.changes), sum(f.inner_changes)
    FROM by_finest f CROSS JOIN generate_series(0, 16) up (levels)
    GROUP BY 1
    ON CONFLICT (cell) DO UPDATE SET open = c.open + EXCLUDED.open, acknowledged = c.acknowledged + EXCLUDED.acknowledged,
      closed = c.closed + EXCLUDED.closed, archived = c.archived + EXCLUDED.archived, changes = c.changes + EXCLUDED.changes,
      inner_changes = c.inner_changes + EXCLUDED.inner_changes)
  SELECT count(*) INTO folded FROM taken;
  RETURN folded;
END $$;
