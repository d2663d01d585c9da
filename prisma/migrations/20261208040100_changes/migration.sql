-- The change log says which issue changed, in the order of commits, so that clients read only what changed (docs/adr/0022). Rows that are rolled up
-- move to `past_issue_changes`, where they stay for a month.
ALTER TABLE issue_changes
  -- 0 in rows of processes of the former release, after which cursors are refused.
  ADD COLUMN issue_id integer NOT NULL DEFAULT 0,
  ADD COLUMN xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  -- True if the change decides no filter but that of `updated_at`, as a vote or a comment.
  ADD COLUMN keeps_filters boolean NOT NULL DEFAULT false,
  ADD COLUMN changed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp();

CREATE TABLE past_issue_changes (
  xid           bigint NOT NULL,
  issue_id      integer NOT NULL,
  cell          bigint NOT NULL,
  former_status issue_status,
  status        issue_status,
  keeps_filters boolean NOT NULL,
  changed_at    timestamptz(3) NOT NULL
);
CREATE INDEX past_issue_changes_xid_issue_id_idx ON past_issue_changes (xid, issue_id);

-- The changes that show in public data. A status is null if the issue was not public then.
CREATE VIEW public_issue_changes AS
  SELECT c.xid, c.issue_id, c.cell, c.former_status, c.status, c.keeps_filters, c.changed_at
  FROM issue_changes c WHERE (c.revised AND c.status IS NOT NULL) OR c.former_status IS DISTINCT FROM c.status
  UNION ALL
  SELECT p.xid, p.issue_id, p.cell, p.former_status, p.status, p.keeps_filters, p.changed_at
  FROM past_issue_changes p;

-- Begins a log whose positions are not those of an earlier one, whose transactions may have other numbers.
CREATE FUNCTION begin_change_log() RETURNS void LANGUAGE sql AS $$
  DELETE FROM past_issue_changes;
  UPDATE issue_changes SET xid = pg_current_xact_id()::text::bigint;
  SELECT renew_table_version('change log');
$$;
SELECT begin_change_log();

CREATE OR REPLACE FUNCTION revise_issue(revised_id integer, is_public boolean) RETURNS void LANGUAGE sql AS $$
  WITH revised AS (
    UPDATE issues i
    SET all_changes_revision = i.all_changes_revision + 1,
      public_revision = i.public_revision + (is_public AND i.moderation_state = 'passed')::integer,
      changed_at = CASE WHEN is_public THEN clock_timestamp() ELSE i.changed_at END
    WHERE i.id = revised_id
    RETURNING i.id, i.cell, CASE WHEN i.moderation_state = 'passed' THEN i.status END AS status)
  INSERT INTO issue_changes (issue_id, cell, former_status, status, revised) SELECT r.id, r.cell, r.status, r.status, is_public FROM revised r
$$;

CREATE OR REPLACE FUNCTION after_issue_insert_or_delete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  issue constant issues := coalesce(NEW, OLD);
  public_status constant issue_status := CASE WHEN issue.moderation_state = 'passed' THEN issue.status END;
BEGIN
  INSERT INTO issue_changes (issue_id, cell, former_status, status, revised)
  VALUES (issue.id, issue.cell, CASE TG_OP WHEN 'DELETE' THEN public_status END, CASE TG_OP WHEN 'INSERT' THEN public_status END, public_status IS NOT NULL);
  IF public_status IS NOT NULL AND NOT issue.anonymous AND issue.reporter_id IS NOT NULL THEN
    PERFORM refresh_shared_locations(ARRAY[issue.reporter_id]);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION after_issue_update() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  former_status constant issue_status := CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END;
  status constant issue_status := CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END;
BEGIN
  IF OLD.cell <> NEW.cell THEN
    INSERT INTO issue_changes (issue_id, cell, former_status, status)
    VALUES (NEW.id, OLD.cell, former_status, NULL), (NEW.id, NEW.cell, NULL, status);
  ELSIF (OLD.status, OLD.moderation_state) IS DISTINCT FROM (NEW.status, NEW.moderation_state) THEN
    INSERT INTO issue_changes (issue_id, cell, former_status, status, revised)
    VALUES (NEW.id, NEW.cell, former_status, status, former_status IS DISTINCT FROM status);
  END IF;
  IF (OLD.reporter_id, OLD.anonymous, OLD.moderation_state, OLD.lng, OLD.lat, OLD.created_at)
    IS DISTINCT FROM (NEW.reporter_id, NEW.anonymous, NEW.moderation_state, NEW.lng, NEW.lat, NEW.created_at) THEN
    PERFORM refresh_shared_locations(ARRAY[OLD.reporter_id, NEW.reporter_id]);
  END IF;
  IF OLD.all_changes_revision = NEW.all_changes_revision THEN
    PERFORM revise_issue(NEW.id, OLD.moderation_state <> NEW.moderation_state OR OLD.public_revision <> NEW.public_revision OR
      (OLD.status, OLD.summary, OLD.description, OLD.category, OLD.base_rating, OLD.vote_count, OLD.lng, OLD.lat, OLD.address, OLD.request_type_id,
        OLD.assignee_id, OLD.video_url, OLD.remote_id, OLD.remote_title, OLD.remote_status, OLD.created_at, OLD.updated_at, OLD.acknowledged_at,
        OLD.closed_at, OLD.reopened_at, OLD.outcome, CASE WHEN NOT OLD.anonymous THEN OLD.reporter_id END)
      IS DISTINCT FROM
      (NEW.status, NEW.summary, NEW.description, NEW.category, NEW.base_rating, NEW.vote_count, NEW.lng, NEW.lat, NEW.address, NEW.request_type_id,
        NEW.assignee_id, NEW.video_url, NEW.remote_id, NEW.remote_title, NEW.remote_status, NEW.created_at, NEW.updated_at, NEW.acknowledged_at,
        NEW.closed_at, NEW.reopened_at, NEW.outcome, CASE WHEN NOT NEW.anonymous THEN NEW.reporter_id END));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION begin_cell_generation_after_restore() RETURNS boolean LANGUAGE plpgsql AS $$
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
  PERFORM begin_change_log();
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION clear_issue_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- DELETE, because one TRUNCATE may name all three tables.
  DELETE FROM issue_cell_changes;
  DELETE FROM issue_cells;
  PERFORM begin_cell_generation();
  PERFORM begin_change_log();
  RETURN NULL;
END $$;

-- Rolls up at most `rows_max` rows of the change log into the cells of all levels and returns their number; a concurrent call returns 0. One
-- statement moves the rows, so each change is always in exactly one of the tables.
CREATE OR REPLACE FUNCTION roll_up_issue_cells(rows_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  rolled_up integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_issue_cells')) THEN
    RETURN 0;
  END IF;
  WITH picked AS MATERIALIZED (SELECT t.ctid AS row_id FROM issue_changes t LIMIT rows_max),
  kept AS (
    INSERT INTO past_issue_changes (xid, issue_id, cell, former_status, status, keeps_filters, changed_at)
    SELECT c.xid, c.issue_id, c.cell, c.former_status, c.status, c.keeps_filters, c.changed_at
    FROM issue_changes c
    WHERE c.ctid = ANY(ARRAY(SELECT p.row_id FROM picked p))
      AND ((c.revised AND c.status IS NOT NULL) OR c.former_status IS DISTINCT FROM c.status)),
  deleted AS (
    DELETE FROM issue_cell_changes u WHERE u.row_id = ANY(ARRAY(SELECT p.row_id FROM picked p)) RETURNING u.*),
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
