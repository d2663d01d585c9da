-- GET /users shows where people are who share it: at their last public, not anonymous report, rounded to 0.01 degree before
-- anything is sorted by it. Kept by the database, so that no way of writing an issue can forget it.
CREATE FUNCTION refresh_shared_locations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users u
  SET location_lng = round(latest.lng::numeric, 2), location_lat = round(latest.lat::numeric, 2)
  FROM (SELECT DISTINCT i.reporter_id FROM changed_issues i WHERE i.reporter_id IS NOT NULL) reporters
  LEFT JOIN LATERAL (
    SELECT l.lng, l.lat FROM issues l
    WHERE l.reporter_id = reporters.reporter_id AND NOT l.anonymous AND l.moderation_state = 'passed'
    ORDER BY l.created_at DESC, l.id DESC LIMIT 1) latest ON true
  WHERE u.id = reporters.reporter_id AND u.share_location
    AND (u.location_lng, u.location_lat) IS DISTINCT FROM
        (round(latest.lng::numeric, 2)::double precision, round(latest.lat::numeric, 2)::double precision);
  RETURN NULL;
END $$;

CREATE TRIGGER issues_refresh_locations_on_insert AFTER INSERT ON issues
  REFERENCING NEW TABLE AS changed_issues FOR EACH STATEMENT EXECUTE FUNCTION refresh_shared_locations();
CREATE TRIGGER issues_refresh_locations_on_update AFTER UPDATE ON issues
  REFERENCING NEW TABLE AS changed_issues FOR EACH STATEMENT EXECUTE FUNCTION refresh_shared_locations();

-- Starting to share looks the last report up; ceasing to share forgets it.
CREATE FUNCTION share_location_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.location_lng := NULL;
  NEW.location_lat := NULL;
  IF NEW.share_location THEN
    SELECT round(i.lng::numeric, 2), round(i.lat::numeric, 2) INTO NEW.location_lng, NEW.location_lat
    FROM issues i
    WHERE i.reporter_id = NEW.id AND NOT i.anonymous AND i.moderation_state = 'passed'
    ORDER BY i.created_at DESC, i.id DESC LIMIT 1;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER users_share_location_changed BEFORE UPDATE OF share_location ON users
  FOR EACH ROW WHEN (OLD.share_location IS DISTINCT FROM NEW.share_location) EXECUTE FUNCTION share_location_changed();
