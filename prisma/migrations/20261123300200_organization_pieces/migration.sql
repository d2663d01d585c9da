-- Pieces of the areas of organisations, in a transaction of its own: an upgrade never waits for two tables at once.
ALTER TABLE area_pieces ADD CONSTRAINT area_pieces_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id) ON UPDATE CASCADE ON DELETE CASCADE;

CREATE FUNCTION keep_pieces_of_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM area_pieces a WHERE a.organization_id = NEW.id;
  INSERT INTO area_pieces (organization_id, west, south, east, north, shape)
  SELECT NEW.id, d.* FROM divide_area(NEW.area) d;
  RETURN NULL;
END $$;
CREATE TRIGGER organizations_keep_pieces_of_insert AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION keep_pieces_of_organization();
CREATE TRIGGER organizations_keep_pieces_of_update AFTER UPDATE ON organizations FOR EACH ROW
  WHEN (ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area)) EXECUTE FUNCTION keep_pieces_of_organization();

INSERT INTO area_pieces (organization_id, west, south, east, north, shape)
SELECT o.id, d.* FROM organizations o CROSS JOIN LATERAL divide_area(o.area) d;
