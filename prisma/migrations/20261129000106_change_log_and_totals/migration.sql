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

-- Records a change of an issue in its revisions and in the change log. `is_public` says whether the change shows in public data. SQL by hand that
-- inserts comments, votes, answers or pictures must call it.
CREATE FUNCTION revise_issue(revised_id integer, is_public boolean) RETURNS void LANGUAGE sql AS $$
  WITH revised AS (
    UPDATE issues i
    SET all_changes_revision = i.all_changes_revision + 1,
      public_revision = i.public_revision + (is_public AND i.moderation_state = 'passed')::integer,
      changed_at = CASE WHEN is_public THEN clock_timestamp() ELSE i.changed_at END
    WHERE i.id = revised_id
    RETURNING i.cell, CASE WHEN i.moderation_state = 'passed' THEN i.status END AS status)
  INSERT INTO issue_changes (cell, former_status, status, revised) SELECT r.cell, r.status, r.status, is_public FROM revised r
$$;

CREATE FUNCTION after_issue_insert_or_delete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  issue constant issues := coalesce(NEW, OLD);
  public_status constant issue_status := CASE WHEN issue.moderation_state = 'passed' THEN issue.status END;
BEGIN
  INSERT INTO issue_changes (cell, former_status, status, revised)
  VALUES (issue.cell, CASE TG_OP WHEN 'DELETE' THEN public_status END, CASE TG_OP WHEN 'INSERT' THEN public_status END, public_status IS NOT NULL);
  IF public_status IS NOT NULL AND NOT issue.anonymous AND issue.reporter_id IS NOT NULL THEN
    PERFORM refresh_shared_locations(ARRAY[issue.reporter_id]);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER issues_after_insert_or_delete AFTER INSERT OR DELETE ON issues FOR EACH ROW EXECUTE FUNCTION after_issue_insert_or_delete();

-- The change log must have every change of a count. After statements that set no revision (rare ones of the service, cascades, SQL by hand), the
-- function also revises the issue.
CREATE FUNCTION after_issue_update() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  former_status constant issue_status := CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END;
  status constant issue_status := CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END;
BEGIN
  IF OLD.cell <> NEW.cell THEN
    INSERT INTO issue_changes (cell, former_status, status) VALUES (OLD.cell, former_status, NULL), (NEW.cell, NULL, status);
  ELSIF (OLD.status, OLD.moderation_state) IS DISTINCT FROM (NEW.status, NEW.moderation_state) THEN
    INSERT INTO issue_changes (cell, former_status, status, revised) VALUES (NEW.cell, former_status, status, former_status IS DISTINCT FROM status);
  END IF;
  IF (OLD.reporter_id, OLD.anonymous, OLD.moderation_state, OLD.lng, OLD.lat, OLD.created_at)
    IS DISTINCT FROM (NEW.reporter_id, NEW.anonymous, NEW.moderation_state, NEW.lng, NEW.lat, NEW.created_at) THEN
    PERFORM refresh_shared_locations(ARRAY[OLD.reporter_id, NEW.reporter_id]);
  END IF;
  IF OLD.all_changes_revision = NEW.all_changes_revision THEN
    PERFORM revise_issue(NEW.id, OLD.moderation_state <> NEW.moderation_state OR OLD.public_revision <> NEW.public_revision OR
      (OLD.status, OLD.summary, OLD.description, OLD.category, OLD.base_rating, OLD.vote_count, OLD.lng, OLD.lat, OLD.address, OLD.request_type_id,
        OLD.assignee_id, OLD.video_url, OLD.remote_id, OLD.remote_title, OLD.remote_status, OLD.created_at, OLD.updated_at, OLD.acknowledged_at,
        OLD.closed_at, OLD.reopened_at, CASE WHEN NOT OLD.anonymous THEN OLD.reporter_id END)
      IS DISTINCT FROM
      (NEW.status, NEW.summary, NEW.description, NEW.category, NEW.base_rating, NEW.vote_count, NEW.lng, NEW.lat, NEW.address, NEW.request_type_id,
        NEW.assignee_id, NEW.video_url, NEW.remote_id, NEW.remote_title, NEW.remote_status, NEW.created_at, NEW.updated_at, NEW.acknowledged_at,
        NEW.closed_at, NEW.reopened_at, CASE WHEN NOT NEW.anonymous THEN NEW.reporter_id END));
  END IF;
  RETURN NULL;
END $$;
-- The condition keeps votes and comments free of the trigger.
CREATE TRIGGER issues_after_update AFTER UPDATE ON issues FOR EACH ROW
  WHEN (OLD.all_changes_revision = NEW.all_changes_revision
    OR (OLD.status, OLD.moderation_state, OLD.reporter_id, OLD.anonymous, OLD.lng, OLD.lat, OLD.created_at)
      IS DISTINCT FROM (NEW.status, NEW.moderation_state, NEW.reporter_id, NEW.anonymous, NEW.lng, NEW.lat, NEW.created_at))
  EXECUTE FUNCTION after_issue_update();

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
