-- Validators of users are hashes of bodies, and an issue has one time of its last change that shows.
ALTER TABLE issues RENAME COLUMN public_change_at TO changed_at;
UPDATE issues i SET changed_at = i.any_change_at WHERE i.changed_at IS NULL;
ALTER TABLE issues ALTER COLUMN changed_at SET NOT NULL, DROP COLUMN any_change_at;
DROP INDEX issues_public_change_at_idx;

DROP TRIGGER follows_after_write ON follows;
DROP TRIGGER issues_before_delete ON issues;
DROP TRIGGER issues_log_update ON issues;
DROP TRIGGER users_before_write ON users;
DROP FUNCTION after_follow_write, before_issue_delete, touch_issue_users, is_counted_for;
ALTER TABLE users DROP COLUMN summary_changed_at, DROP COLUMN profile_changed_at, DROP COLUMN any_change_at,
  ADD COLUMN revision bigint NOT NULL DEFAULT 1;
-- Points and revisions are in no index, so that their updates are HOT while the page has room.
ALTER TABLE users SET (fillfactor = 80);

CREATE OR REPLACE FUNCTION revise_issue(revised_id integer, is_public boolean) RETURNS void LANGUAGE sql AS $$
  WITH revised AS (
    UPDATE issues i
    SET all_changes_revision = i.all_changes_revision + 1,
      public_revision = i.public_revision + (is_public AND i.moderation_state = 'passed')::integer,
      changed_at = CASE WHEN is_public THEN clock_timestamp() ELSE i.changed_at END
    WHERE i.id = revised_id
    RETURNING i.cell, CASE WHEN i.moderation_state = 'passed' THEN i.status END AS status)
  INSERT INTO issue_changes (cell, former_status, status, revised) SELECT r.cell, r.status, r.status, is_public FROM revised r
$$;

DROP TRIGGER issues_after_update ON issues;
DROP TRIGGER issues_log_new_or_deleted ON issues;
DROP TRIGGER issues_shared_location_after_insert ON issues;
DROP TRIGGER issues_shared_location_after_update ON issues;
DROP TRIGGER issues_shared_location_after_delete ON issues;
DROP FUNCTION after_issue_update, log_issue_change, refresh_shared_location;

-- The last public, not anonymous issue of a user defines the shared location. Users are locked before the lookup, in the order of their ids: two
-- transactions that remove the last two issues of one user would otherwise each see the other's issue. Users who do not share are locked too,
-- because a user who starts sharing reads the last issue under the same lock.
CREATE FUNCTION refresh_shared_locations(reporters integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id = ANY(reporters) ORDER BY u.id FOR NO KEY UPDATE;
  UPDATE users u SET location_lng = latest.lng, location_lat = latest.lat
  FROM users sharing CROSS JOIN LATERAL shared_location(sharing.id) latest
  WHERE sharing.id = ANY(reporters) AND sharing.share_location AND u.id = sharing.id
    AND (u.location_lng, u.location_lat) IS DISTINCT FROM (latest.lng, latest.lat);
END $$;

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

-- The statement that inserts a comment revises the issue. Here are edits, decisions and cascades.
CREATE OR REPLACE FUNCTION after_comment_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_public constant boolean := OLD.moderation_state = 'passed';
  is_public constant boolean := NEW.moderation_state IS NOT DISTINCT FROM 'passed';
BEGIN
  PERFORM revise_issue(OLD.issue_id, was_public <> is_public OR (is_public AND
    (OLD.commenter_id, OLD.comment, OLD.video_url, OLD.created_at, OLD.updated_at)
      IS DISTINCT FROM (NEW.commenter_id, NEW.comment, NEW.video_url, NEW.created_at, NEW.updated_at)));
  RETURN NULL;
END $$;

-- Sets the revisions after statements that set none. It also sets the location when sharing starts and clears it when sharing ends, so that no
-- location is stored of a user who does not share.
CREATE OR REPLACE FUNCTION set_user_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.share_location <> OLD.share_location THEN
    NEW.location_lng := NULL;
    NEW.location_lat := NULL;
    IF NEW.share_location THEN
      SELECT l.lng, l.lat INTO NEW.location_lng, NEW.location_lat FROM shared_location(NEW.id) l;
    END IF;
  END IF;
  IF NEW.name <> OLD.name THEN
    PERFORM renew_table_version('names');
  END IF;
  NEW.revision := OLD.revision + 1;
  -- after_organization_member_write changes `summary_revision`.
  NEW.summary_revision := OLD.summary_revision + ((NEW.name, NEW.role, NEW.civic_points, NEW.avatar_full, NEW.avatar_square, NEW.summary_revision)
    IS DISTINCT FROM (OLD.name, OLD.role, OLD.civic_points, OLD.avatar_full, OLD.avatar_square, OLD.summary_revision))::integer;
  RETURN NEW;
END $$;
CREATE TRIGGER users_before_update BEFORE UPDATE ON users FOR EACH ROW
  WHEN (OLD.revision = NEW.revision) EXECUTE FUNCTION set_user_columns();

CREATE OR REPLACE FUNCTION after_organization_member_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users u SET revision = u.revision + 1, summary_revision = u.summary_revision + (TG_OP <> 'UPDATE')::integer
  WHERE u.id = coalesce(NEW.user_id, OLD.user_id);
  RETURN NULL;
END $$;

DROP FUNCTION lock_users, touch_user;

-- Times of changes of places, organizations, request types and questions need no function: a change needs no transaction id before its time.
CREATE OR REPLACE FUNCTION set_changed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END $$;
DROP TRIGGER places_before_write ON places;
DROP TRIGGER organizations_before_write ON organizations;
DROP TRIGGER watch_areas_before_write ON watch_areas;
DROP FUNCTION set_place_columns, set_organization_columns, set_watch_area_cells;

-- The parts and cells must match the boundary, and the version of the table validates kept lists of places. An import, the seed and an operator's
-- SQL all write places. Parts refer to the row, so the trigger runs after the write and updates the row again.
-- Geometries are compared as bytes, here and below, because `geometry = geometry` is ambiguous with the empty search_path of pg_restore.
CREATE OR REPLACE FUNCTION after_place_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND ST_AsBinary(OLD.boundary) IS DISTINCT FROM ST_AsBinary(NEW.boundary)) THEN
    DELETE FROM area_parts a WHERE a.place_id = NEW.id;
    INSERT INTO area_parts (place_id, shape) SELECT NEW.id, ST_Subdivide(NEW.boundary, 64);
    UPDATE places p SET inner_cells = c.inner_cells, boundary_cells = c.boundary_cells, bounding_cells = c.bounding_cells
    FROM cover_area(NEW.boundary) c WHERE p.id = NEW.id;
  END IF;
  IF TG_OP = 'UPDATE' AND place_visibly_changed(OLD, NEW) THEN
    UPDATE places p SET changed_at = clock_timestamp() WHERE p.id = NEW.id;
  END IF;
  IF TG_OP <> 'UPDATE' OR place_visibly_changed(OLD, NEW) THEN
    PERFORM renew_table_version('places');
  END IF;
  RETURN NULL;
END $$;

-- Only the name and the area are public.
CREATE OR REPLACE FUNCTION after_organization_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area) THEN
    DELETE FROM area_parts a WHERE a.organization_id = NEW.id;
    INSERT INTO area_parts (organization_id, shape) SELECT NEW.id, ST_Subdivide(NEW.area, 64);
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.name, ST_AsBinary(OLD.area)) IS DISTINCT FROM (NEW.name, ST_AsBinary(NEW.area)) THEN
    UPDATE organizations o SET changed_at = clock_timestamp() WHERE o.id = NEW.id;
    PERFORM renew_table_version('names');
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER organizations_after_write ON organizations;
CREATE TRIGGER organizations_after_write AFTER INSERT OR UPDATE OF name, area ON organizations
  FOR EACH ROW EXECUTE FUNCTION after_organization_write();

-- Sets the parts and cells of a polygon.
CREATE OR REPLACE FUNCTION after_watch_area_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM area_parts a WHERE a.watch_area_id = NEW.id;
  INSERT INTO area_parts (watch_area_id, shape) SELECT NEW.id, ST_Subdivide(NEW.area, 64) WHERE NEW.kind = 'polygon';
  UPDATE watch_areas w SET inner_cells = coalesce(c.inner_cells, '{}'), boundary_cells = coalesce(c.boundary_cells, '{}'),
    bounding_cells = coalesce(c.bounding_cells, '{}')
  FROM cover_area(CASE WHEN NEW.kind = 'polygon' THEN NEW.area END) c WHERE w.id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION set_request_type_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  IF TG_OP = 'UPDATE' AND (NEW.title, NEW.organization_id) IS DISTINCT FROM (OLD.title, OLD.organization_id) THEN
    PERFORM renew_table_version('names');
  END IF;
  RETURN NEW;
END $$;
DROP FUNCTION change_timestamp;
