-- A membership decides whether the public sees an assignee or a department, and so which issues `assigned` finds. Both show in pages of lists whose
-- version has no users, so that a change of a membership or of the role of a user renews the names.
CREATE OR REPLACE FUNCTION after_organization_member_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.role = NEW.role THEN
    UPDATE users u SET revision = u.revision + 1 WHERE u.id = NEW.user_id;
  ELSE
    UPDATE users u SET revision = u.revision + 1, summary_revision = u.summary_revision + 1 WHERE u.id = coalesce(NEW.user_id, OLD.user_id);
    PERFORM renew_table_version('names');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION set_user_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.share_location <> OLD.share_location THEN
    NEW.location_lng := NULL;
    NEW.location_lat := NULL;
    IF NEW.share_location THEN
      SELECT l.lng, l.lat INTO NEW.location_lng, NEW.location_lat FROM shared_location(NEW.id) l;
    END IF;
  END IF;
  IF (NEW.name, NEW.role) IS DISTINCT FROM (OLD.name, OLD.role) THEN
    PERFORM renew_table_version('names');
  END IF;
  NEW.revision := OLD.revision + 1;
  -- after_organization_member_write changes `summary_revision`.
  NEW.summary_revision := OLD.summary_revision + ((NEW.name, NEW.role, NEW.civic_points, NEW.avatar_full, NEW.avatar_square, NEW.summary_revision)
    IS DISTINCT FROM (OLD.name, OLD.role, OLD.civic_points, OLD.avatar_full, OLD.avatar_square, OLD.summary_revision))::integer;
  RETURN NEW;
END $$;
