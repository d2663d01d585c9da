-- The same for places, in a transaction of its own: an upgrade never waits for two tables at once.
CREATE OR REPLACE TRIGGER places_keep_moment_of_update BEFORE UPDATE ON places FOR EACH ROW
  WHEN ((OLD.name, OLD.url_name, OLD.place_type, OLD.county, OLD.state, ST_AsBinary(OLD.boundary), OLD.center_lng, OLD.center_lat, OLD.area_m2)
    IS DISTINCT FROM
    (NEW.name, NEW.url_name, NEW.place_type, NEW.county, NEW.state, ST_AsBinary(NEW.boundary), NEW.center_lng, NEW.center_lat, NEW.area_m2))
  EXECUTE FUNCTION keep_moment_of_change();
