-- Lists that are kept in memory have a version, other lists have no Last-Modified, and that of a single thing needs no times of removed rows.
DROP TRIGGER users_after_delete ON users;
DROP TRIGGER request_types_after_delete ON request_types;
DROP TRIGGER questions_after_write ON questions;
DROP FUNCTION log_removal, after_question_write;

CREATE OR REPLACE FUNCTION after_place_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND ST_AsBinary(OLD.boundary) IS DISTINCT FROM ST_AsBinary(NEW.boundary)) THEN
    DELETE FROM area_parts a WHERE a.place_id = NEW.id;
    INSERT INTO area_parts (place_id, shape) SELECT NEW.id, ST_Subdivide(NEW.boundary, 64);
  END IF;
  IF TG_OP <> 'UPDATE' OR place_visibly_changed(OLD, NEW) THEN
    PERFORM renew_table_version('places');
  END IF;
  RETURN NULL;
END $$;

-- The change log must have every change of a count. The function also updates users whose public numbers change.
CREATE OR REPLACE FUNCTION log_issue_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  former_status constant issue_status := CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END;
  status constant issue_status := CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END;
BEGIN
  IF OLD.cell <> NEW.cell THEN
    INSERT INTO issue_changes (cell, former_status, status) VALUES (OLD.cell, former_status, NULL), (NEW.cell, NULL, status);
  ELSE
    INSERT INTO issue_changes (cell, former_status, status, revised)
    VALUES (coalesce(NEW.cell, OLD.cell), former_status, status, former_status IS DISTINCT FROM status);
  END IF;
  IF TG_OP = 'UPDATE' AND ((former_status IS NULL) <> (status IS NULL) OR (status IS NOT NULL
    AND (OLD.anonymous, OLD.reporter_id) IS DISTINCT FROM (NEW.anonymous, NEW.reporter_id) AND NOT (OLD.anonymous AND NEW.anonymous)))
  THEN
    PERFORM touch_issue_users(OLD, NEW);
  END IF;
  RETURN NULL;
END $$;

DROP TABLE removal_log;
