-- Where the log of the primary stood after somebody's last change, so that whoever made it reads no replica that is not there yet
-- (docs/adr/0034). Written only where there are replicas. The row comes after what it tells of in the log: wherever the row is, that is.
CREATE TABLE caller_writes (
  user_id integer PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  wal_lsn pg_lsn NOT NULL
) WITH (fillfactor = 50);
