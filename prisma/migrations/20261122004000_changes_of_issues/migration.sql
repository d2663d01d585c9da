-- What a write pays for the pyramid (docs/adr/0040): it notes what the issue was and what it is, by a trigger of the row, and no more; whoever reads
-- reckons what that adds to its cell. Before, each statement added its rows up cell by cell, which cost more than the write of the note.

-- All that waits is added up, and nobody writes meanwhile. Whoever folds is waited for, since the fold takes nothing beside another one.
LOCK TABLE issues IN SHARE ROW EXCLUSIVE MODE;
SELECT pg_advisory_xact_lock(hashtext('fold_issue_cells'));
SELECT fold_issue_cells(2147483647);

DROP TRIGGER issues_note_cells_on_insert ON issues;
DROP TRIGGER issues_note_cells_on_update ON issues;
DROP TRIGGER issues_note_cells_on_delete ON issues;
DROP FUNCTION note_issue_cells();
DROP TABLE issue_cell_changes;

-- One row for each issue that was written, in the cell where it is; where it moved, one in each of both. A status is null where the issue did not exist
-- or was not for everybody. No key: nobody looks for one of them, and writers of a city would meet on its last page.
CREATE TABLE issue_changes (
  cell          bigint NOT NULL,
  former_status text,
  status        text,
  -- Whether what everybody sees of it changed, where everybody sees it before and after.
  revised       boolean NOT NULL DEFAULT false
) -- Never cut back to no pages at all, when a connection that plans its statements would keep plans for an empty table.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
CREATE INDEX issue_changes_cell_idx ON issue_changes (cell);

-- What is not yet added up, as it adds to `issue_cells`. Under the name that the table had before, whose readers need not know.
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

CREATE FUNCTION note_new_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO issue_changes (cell, status) VALUES (NEW.cell, CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END);
  RETURN NULL;
END $$;

CREATE FUNCTION note_changed_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.cell = OLD.cell THEN
    -- Its revision says whether something shown changed (the migration on freshness).
    INSERT INTO issue_changes (cell, former_status, status, revised)
    VALUES (NEW.cell, CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END, CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END,
      NEW.revision <> OLD.revision);
  ELSE
    INSERT INTO issue_changes (cell, former_status, status)
    VALUES (OLD.cell, CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END, NULL),
      (NEW.cell, NULL, CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_gone_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO issue_changes (cell, former_status) VALUES (OLD.cell, CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END);
  RETURN NULL;
END $$;

CREATE TRIGGER issues_note_cells_on_insert AFTER INSERT ON issues FOR EACH ROW EXECUTE FUNCTION note_new_issue();
CREATE TRIGGER issues_note_cells_on_update AFTER UPDATE ON issues FOR EACH ROW EXECUTE FUNCTION note_changed_issue();
CREATE TRIGGER issues_note_cells_on_delete AFTER DELETE ON issues FOR EACH ROW EXECUTE FUNCTION note_gone_issue();

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
