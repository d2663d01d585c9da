-- Pieces of watch areas that are polygons.
ALTER TABLE area_pieces ADD CONSTRAINT area_pieces_watch_area_id_fkey FOREIGN KEY (watch_area_id) REFERENCES watch_areas (id) ON UPDATE CASCADE ON DELETE CASCADE;

-- Circles and boxes are compared by their numbers, and places have pieces of their own.
CREATE FUNCTION keep_pieces_of_watch_area() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM area_pieces a WHERE a.watch_area_id = NEW.id;
  INSERT INTO area_pieces (watch_area_id, west, south, east, north, shape)
  SELECT NEW.id, d.* FROM divide_area(NEW.area) d WHERE NEW.kind = 'polygon';
  RETURN NULL;
END $$;
CREATE TRIGGER watch_areas_keep_pieces_of_insert AFTER INSERT ON watch_areas FOR EACH ROW
  WHEN (NEW.kind = 'polygon') EXECUTE FUNCTION keep_pieces_of_watch_area();
CREATE TRIGGER watch_areas_keep_pieces_of_update AFTER UPDATE ON watch_areas FOR EACH ROW
  WHEN (OLD.kind <> NEW.kind OR ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area)) EXECUTE FUNCTION keep_pieces_of_watch_area();

INSERT INTO area_pieces (watch_area_id, west, south, east, north, shape)
SELECT w.id, d.* FROM watch_areas w CROSS JOIN LATERAL divide_area(w.area) d WHERE w.kind = 'polygon';
