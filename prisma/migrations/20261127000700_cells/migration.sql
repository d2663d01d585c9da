-- The pyramid (docs/adr/0004): counts of public issues by cell and status, and the numbers of public and of all changes. The count of an
-- area is the sum of its inner cells, with the rows of the change log, plus the issues of its boundary cells that lie inside.
-- src/geo/pyramid reads it.
CREATE TABLE issue_cells (
  cell           bigint PRIMARY KEY,
  open           integer NOT NULL,
  acknowledged   integer NOT NULL,
  closed         integer NOT NULL,
  archived       integer NOT NULL,
  -- Number of changes of public data of its issues, and of all changes, public and private.
  public_changes bigint NOT NULL,
  all_changes    bigint NOT NULL
) WITH (fillfactor = 70);

-- The change log that is not yet rolled up. Writers append and do not wait for each other, as they would for shared coarse cells. One row
-- for each written issue, in its cell of level 16; if the issue moved, one row in each of the two cells. A status is null if the issue did not
-- exist or was not public. There is no key, because concurrent writers would contend for its last page (docs/adr/0004).
CREATE TABLE issue_changes (
  cell          bigint NOT NULL,
  former_status issue_status,
  status        issue_status,
  -- True if columns of a public issue changed that responses show, or it was published.
  revised       boolean NOT NULL DEFAULT false
) -- Vacuum must not truncate the file: connections would cache plans for an empty table.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
CREATE INDEX issue_changes_cell_idx ON issue_changes (cell);

CREATE VIEW issue_cell_changes AS
  SELECT c.cell,
    (c.status IS NOT DISTINCT FROM 'Open')::integer - (c.former_status IS NOT DISTINCT FROM 'Open')::integer AS open,
    (c.status IS NOT DISTINCT FROM 'Acknowledged')::integer - (c.former_status IS NOT DISTINCT FROM 'Acknowledged')::integer AS acknowledged,
    (c.status IS NOT DISTINCT FROM 'Closed')::integer - (c.former_status IS NOT DISTINCT FROM 'Closed')::integer AS closed,
    (c.status IS NOT DISTINCT FROM 'Archived')::integer - (c.former_status IS NOT DISTINCT FROM 'Archived')::integer AS archived,
    CASE WHEN c.status IS NOT NULL AND c.former_status IS NOT NULL THEN c.revised::integer
      ELSE (c.status IS NOT NULL OR c.former_status IS NOT NULL)::integer END AS public_changes,
    1 AS all_changes,
    c.ctid AS row_id
  FROM issue_changes c;

-- Every write of an issue must be in the change log, or the counts of the pyramid are wrong. The trigger also writes the removal log and updates
-- users whose public numbers change. A row trigger costs less than a statement trigger (docs/adr/0004).
CREATE FUNCTION after_issue_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  former_status constant issue_status := CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END;
  status constant issue_status := CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END;
BEGIN
  IF OLD.cell <> NEW.cell THEN
    INSERT INTO issue_changes (cell, former_status, status) VALUES (OLD.cell, former_status, NULL), (NEW.cell, NULL, status);
  ELSE
    -- The public revision shows whether visible columns changed (set_issue_revisions).
    INSERT INTO issue_changes (cell, former_status, status, revised)
    VALUES (coalesce(NEW.cell, OLD.cell), former_status, status, coalesce(NEW.public_revision <> OLD.public_revision, false));
  END IF;
  IF former_status IS NOT NULL AND status IS NULL THEN
    INSERT INTO removal_log (table_name, removed_at) VALUES ('issues', change_timestamp());
  END IF;
  IF TG_OP = 'UPDATE' AND ((former_status IS NULL) <> (status IS NULL) OR (status IS NOT NULL
    AND (OLD.anonymous, OLD.reporter_id) IS DISTINCT FROM (NEW.anonymous, NEW.reporter_id) AND NOT (OLD.anonymous AND NEW.anonymous)))
  THEN
    PERFORM touch_issue_users(OLD, NEW);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER issues_after_write AFTER INSERT OR UPDATE OR DELETE ON issues FOR EACH ROW EXECUTE FUNCTION after_issue_write();

-- Starts a generation: the row of the pseudo-cell 0 gets random counts of changes, so that no earlier ETag matches after writes without
-- triggers, when the counts of changes may repeat.
CREATE FUNCTION begin_cell_generation() RETURNS void LANGUAGE sql AS $$
  INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, public_changes, all_changes)
  SELECT 0, 0, 0, 0, 0, g.start, g.start FROM (SELECT (random() * 1e12)::bigint AS start) g
  ON CONFLICT (cell) DO UPDATE SET public_changes = EXCLUDED.public_changes, all_changes = EXCLUDED.all_changes
$$;

-- Begins a generation if the database was restored since the last start, because the counts of changes then continue from older numbers. A
-- restore from a dump or to a point in time changes the server, its timeline or the table. Returns whether a generation began.
CREATE FUNCTION begin_cell_generation_after_restore() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  origin constant uuid := md5(concat_ws(' ', (SELECT s.system_identifier FROM pg_control_system() s),
    (SELECT c.timeline_id FROM pg_control_checkpoint() c), 'issues'::regclass::oid))::uuid;
BEGIN
  INSERT INTO table_versions AS v (name, version) VALUES ('cells of database', origin)
  ON CONFLICT (name) DO UPDATE SET version = EXCLUDED.version WHERE v.version <> EXCLUDED.version;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM begin_cell_generation();
  RETURN true;
END $$;

-- TRUNCATE fires no row triggers, so the counts would remain.
CREATE FUNCTION clear_issue_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- DELETE, because one TRUNCATE may name all three tables.
  DELETE FROM issue_cell_changes;
  DELETE FROM issue_cells;
  PERFORM begin_cell_generation();
  RETURN NULL;
END $$;
CREATE TRIGGER issues_after_truncate AFTER TRUNCATE ON issues FOR EACH STATEMENT EXECUTE FUNCTION clear_issue_cells();

-- Rolls up at most `rows_max` rows of the change log into the cells of all levels and returns their number. A concurrent call returns 0. One
-- statement moves the rows, so each change is always in exactly one of the two tables.
CREATE FUNCTION roll_up_issue_cells(rows_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  rolled_up integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_issue_cells')) THEN
    RETURN 0;
  END IF;
  WITH deleted AS (
    DELETE FROM issue_cell_changes u
    WHERE u.row_id = ANY(ARRAY(SELECT t.ctid FROM issue_changes t LIMIT rows_max))
    RETURNING u.*),
  finest AS (
    SELECT d.cell, sum(d.open) AS open, sum(d.acknowledged) AS acknowledged, sum(d.closed) AS closed, sum(d.archived) AS archived,
      sum(d.public_changes) AS public_changes, sum(d.all_changes) AS all_changes
    FROM deleted d GROUP BY d.cell),
  added AS (
    INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, public_changes, all_changes)
    SELECT f.cell >> (2 * n.levels) AS cell, sum(f.open), sum(f.acknowledged), sum(f.closed), sum(f.archived), sum(f.public_changes),
      sum(f.all_changes)
    FROM finest f CROSS JOIN generate_series(0, 16) n (levels)
    GROUP BY 1
    ON CONFLICT (cell) DO UPDATE SET open = c.open + EXCLUDED.open, acknowledged = c.acknowledged + EXCLUDED.acknowledged,
      closed = c.closed + EXCLUDED.closed, archived = c.archived + EXCLUDED.archived,
      public_changes = c.public_changes + EXCLUDED.public_changes, all_changes = c.all_changes + EXCLUDED.all_changes)
  SELECT count(*) INTO rolled_up FROM deleted;
  RETURN rolled_up;
END $$;

-- Returns the expected cells of all levels, counted from the issues; each issue counts as one change.
CREATE FUNCTION expected_issue_cells() RETURNS SETOF issue_cells LANGUAGE sql STABLE AS $$
  WITH finest AS (
    SELECT i.cell, count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Open') AS open,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Acknowledged') AS acknowledged,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Closed') AS closed,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Archived') AS archived,
      count(*) FILTER (WHERE i.moderation_state = 'passed') AS public_changes, count(*) AS all_changes
    FROM issues i GROUP BY i.cell)
  SELECT f.cell >> (2 * n.levels), sum(f.open)::integer, sum(f.acknowledged)::integer, sum(f.closed)::integer, sum(f.archived)::integer,
    sum(f.public_changes)::bigint, sum(f.all_changes)::bigint
  FROM finest f CROSS JOIN generate_series(0, 16) n (levels)
  GROUP BY 1
$$;
