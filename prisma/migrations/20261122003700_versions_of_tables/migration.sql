-- What a whole table is at: one row for each table whose answers are validated by it, another random version after each change that shows, written in
-- the transaction of the change. Its lock lets one such transaction commit after the other, so whoever reads a version sees all changes up to it and
-- none beyond. Random, since a count would begin anew, or go on from an older one after a restore, and come to numbers that were told already for
-- something else. Only for tables that are seldom written.
CREATE TABLE table_versions (
  name    text CONSTRAINT table_versions_pkey PRIMARY KEY,
  version uuid NOT NULL
);

CREATE FUNCTION renew_version_of_table(renewed text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO table_versions AS v (name, version) VALUES (renewed, gen_random_uuid())
  ON CONFLICT (name) DO UPDATE SET version = EXCLUDED.version
$$;

-- Where a place came from and by which cells it is covered shows in no answer, so it must not be told by a tag either.
CREATE FUNCTION renew_version_of_places() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_changed boolean := true;
BEGIN
  IF TG_OP = 'INSERT' THEN
    is_changed := EXISTS (SELECT FROM new_rows n);
  ELSIF TG_OP = 'DELETE' THEN
    is_changed := EXISTS (SELECT FROM old_rows o);
  ELSIF TG_OP = 'UPDATE' THEN
    is_changed := EXISTS (
      SELECT FROM old_rows o FULL JOIN new_rows n ON n.id = o.id
      WHERE (o.id, o.name, o.url_name, o.place_type, o.county, o.state, ST_AsBinary(o.boundary), o.center_lng, o.center_lat, o.area_m2)
        IS DISTINCT FROM (n.id, n.name, n.url_name, n.place_type, n.county, n.state, ST_AsBinary(n.boundary), n.center_lng, n.center_lat, n.area_m2));
  END IF;
  IF is_changed THEN
    PERFORM renew_version_of_table('places');
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER places_renew_version_on_insert AFTER INSERT ON places
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION renew_version_of_places();
CREATE TRIGGER places_renew_version_on_update AFTER UPDATE ON places
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION renew_version_of_places();
CREATE TRIGGER places_renew_version_on_delete AFTER DELETE ON places
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION renew_version_of_places();
CREATE TRIGGER places_renew_version_on_truncate AFTER TRUNCATE ON places FOR EACH STATEMENT EXECUTE FUNCTION renew_version_of_places();

SELECT renew_version_of_table('places');
