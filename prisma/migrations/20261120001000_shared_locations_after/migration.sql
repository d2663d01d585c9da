-- Where somebody was last must also follow a report that goes away: deleted, given to somebody else, or no longer public. So the former
-- reporter counts as well as the new one. People are locked first and looked up only then: two transactions that take away the last two
-- reports of one person would otherwise each still see the other's. Those who do not share are locked, too: who is just beginning to
-- share looks up the last report under the same lock, and finds the one of this transaction only if it has waited for it.
CREATE FUNCTION refresh_locations_of(reporters integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  sharing integer[];
BEGIN
  PERFORM lock_people(reporters);
  SELECT array_agg(u.id) INTO sharing FROM users u WHERE u.id = ANY(reporters) AND u.share_location;
  IF sharing IS NULL THEN
    RETURN;
  END IF;
  UPDATE users u
  SET location_lng = latest.lng, location_lat = latest.lat
  FROM unnest(sharing) AS reporter (id)
  LEFT JOIN LATERAL (
    SELECT round(l.lng::numeric, 2)::double precision AS lng, round(l.lat::numeric, 2)::double precision AS lat FROM issues l
    WHERE l.reporter_id = reporter.id AND NOT l.anonymous AND l.moderation_state = 'passed'
    ORDER BY l.created_at DESC, l.id DESC LIMIT 1) latest ON true
  WHERE u.id = reporter.id
    AND (u.location_lng, u.location_lat) IS DISTINCT FROM (latest.lng, latest.lat);
END $$;

CREATE OR REPLACE FUNCTION refresh_shared_locations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_locations_of(array_agg(DISTINCT i.reporter_id)) FROM changed_issues i
  WHERE i.reporter_id IS NOT NULL AND NOT i.anonymous AND i.moderation_state = 'passed';
  RETURN NULL;
END $$;

CREATE FUNCTION refresh_moved_locations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_locations_of(array_agg(DISTINCT reporter.id))
  FROM former_issues f
  JOIN changed_issues i ON i.id = f.id
    AND (i.reporter_id, i.anonymous, i.moderation_state, i.lng, i.lat, i.created_at)
      IS DISTINCT FROM (f.reporter_id, f.anonymous, f.moderation_state, f.lng, f.lat, f.created_at)
  CROSS JOIN LATERAL (VALUES (f.reporter_id), (i.reporter_id)) AS reporter (id)
  WHERE reporter.id IS NOT NULL;
  RETURN NULL;
END $$;

DROP TRIGGER issues_refresh_locations_on_update ON issues;
CREATE TRIGGER issues_refresh_locations_on_update AFTER UPDATE ON issues
  REFERENCING OLD TABLE AS former_issues NEW TABLE AS changed_issues FOR EACH STATEMENT EXECUTE FUNCTION refresh_moved_locations();
CREATE TRIGGER issues_refresh_locations_on_delete AFTER DELETE ON issues
  REFERENCING OLD TABLE AS changed_issues FOR EACH STATEMENT EXECUTE FUNCTION refresh_shared_locations();
