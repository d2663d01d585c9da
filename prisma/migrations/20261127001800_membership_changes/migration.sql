-- Issues name the organisations of officials who answered, so that a membership is part of the summary of a user.
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
    -- after_organization_member_write changes `summary_revision`.
    summary_changed := (NEW.name, NEW.role, NEW.civic_points, NEW.avatar_full, NEW.avatar_square, NEW.summary_revision)
      IS DISTINCT FROM (OLD.name, OLD.role, OLD.civic_points, OLD.avatar_full, OLD.avatar_square, OLD.summary_revision);
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

CREATE OR REPLACE FUNCTION after_organization_member_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  member constant integer := coalesce(NEW.user_id, OLD.user_id);
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM touch_user(member, false);
  ELSE
    UPDATE users u SET summary_revision = u.summary_revision + 1 WHERE u.id = member;
  END IF;
  RETURN NULL;
END $$;
