-- pg_restore runs with an empty search_path, in which `geometry = geometry` is ambiguous. The trigger compares bytes instead, so that
-- `pg_restore --exit-on-error` can create it (test/database/dump-and-restore.test.ts).
CREATE OR REPLACE TRIGGER organizations_keep_moment_of_update BEFORE UPDATE ON organizations FOR EACH ROW
  WHEN ((OLD.name, ST_AsBinary(OLD.area)) IS DISTINCT FROM (NEW.name, ST_AsBinary(NEW.area)))
  EXECUTE FUNCTION keep_moment_of_change();
