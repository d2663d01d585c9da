-- Last-Modified is sent once it is a minute old, and write transactions end within half a minute. So no query needs to know which
-- transactions are running, and a change needs no transaction id before its time.
DROP FUNCTION is_settled(timestamptz);

CREATE OR REPLACE FUNCTION change_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  RETURN clock_timestamp();
