-- What a write pays for the pyramid (docs/adr/0040): it notes what the issue was and what it is, by a trigger of the row, and no more; whoever reads
-- reckons what that adds to its cell. Before, each statement added its rows up cell by cell, which cost more than the write of the note.

-- All that waits is added up while nobody writes. `issues` is the only table that others wait for, and it is taken at once: whoever took it in two steps,
-- or the table of changes too, which readers have before they want issues, would wait for those who wait for it. Whoever folds is waited for first, since
-- the fold takes nothing beside another one. The next migration lets all see the notes, in a transaction of its own for the same reason.
SELECT pg_advisory_xact_lock(hashtext('fold_issue_cells'));
LOCK TABLE issues IN ACCESS EXCLUSIVE MODE;
SELECT fold_issue_cells(2147483647);

DROP TRIGGER issues_note_cells_on_insert ON issues;
DROP TRIGGER issues_note_cells_on_update ON issues;
DROP TRIGGER issues_note_cells_on_delete ON issues;
DROP FUNCTION note_issue_cells();

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

-- The cell of a point, as before, by half as many expressions: both numbers are spread at once, the row in the upper half.
CREATE OR REPLACE FUNCTION issue_cell(lng double precision, lat double precision) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  xy bigint := least(floor((lng + 180) / 360 * 65536), 65535)::bigint | (least(floor((lat + 90) / 360 * 65536), 32767)::bigint << 32);
BEGIN
  -- The bits of each to every second place (Morton's order).
  xy := (xy | (xy << 8)) & 71777214294589695;
  xy := (xy | (xy << 4)) & 1085102592571150095;
  xy := (xy | (xy << 2)) & 3689348814741910323;
  xy := (xy | (xy << 1)) & 6148914691236517205;
  RETURN 4294967296 | (xy >> 31) | (xy & 4294967295);
END $$;
