-- Pages of features contain names of users, request types and organizations, which are no part of the version of a cell (docs/adr/0007). A page
-- has up to 10,000 features, so its version cannot name them all, as that of a list does. Names change rarely.
CREATE OR REPLACE FUNCTION set_user_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed constant timestamptz(3) := change_timestamp();
  summary_changed boolean := true;
  profile_changed boolean := true;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.share_location <> OLD.share_location THEN
      NEW.location_lng := NULL;
      NEW.location_lat := NULL;
      IF NEW.share_location THEN
        SELECT l.lng, l.lat INTO NEW.location_lng, NEW.location_lat FROM shared_location(NEW.id) l;
      END IF;
    END IF;
    summary_changed := (NEW.name, NEW.role, NEW.civic_points, NEW.avatar_full, NEW.avatar_square)
      IS DISTINCT FROM (OLD.name, OLD.role, OLD.civic_points, OLD.avatar_full, OLD.avatar_square);
    -- touch_user changes `profile_changed_at` if a public number changed.
    profile_changed := summary_changed OR
      (NEW.created_at, NEW.updated_at, NEW.share_location, NEW.location_lng, NEW.location_lat, NEW.profile_changed_at)
      IS DISTINCT FROM (OLD.created_at, OLD.updated_at, OLD.share_location, OLD.location_lng, OLD.location_lat, OLD.profile_changed_at);
    NEW.summary_revision := OLD.summary_revision + summary_changed::integer;
    IF NEW.name IS DISTINCT FROM OLD.name THEN
      PERFORM renew_table_version('names');
    END IF;
  END IF;
  NEW.summary_changed_at := CASE WHEN summary_changed THEN changed ELSE OLD.summary_changed_at END;
  NEW.profile_changed_at := CASE WHEN profile_changed THEN changed ELSE OLD.profile_changed_at END;
  -- The value strictly increases, because a request compares it to detect that its caller changed.
  NEW.any_change_at := CASE WHEN TG_OP = 'INSERT' THEN changed ELSE greatest(changed, OLD.any_change_at + interval '1 millisecond') END;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_organization_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (OLD.name, ST_AsBinary(OLD.area)) IS DISTINCT FROM (NEW.name, ST_AsBinary(NEW.area)) THEN
    NEW.changed_at := change_timestamp();
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.name IS DISTINCT FROM OLD.name THEN
    PERFORM renew_table_version('names');
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION set_request_type_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := change_timestamp();
  IF TG_OP = 'UPDATE' AND (NEW.title, NEW.organization_id) IS DISTINCT FROM (OLD.title, OLD.organization_id) THEN
    PERFORM renew_table_version('names');
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER request_types_before_write ON request_types;
CREATE TRIGGER request_types_before_write BEFORE INSERT OR UPDATE OF organization_id, title, position, active, changed_at ON request_types
  FOR EACH ROW EXECUTE FUNCTION set_request_type_columns();

SELECT renew_table_version('names');
