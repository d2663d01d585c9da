-- What shows is judged after the issues are locked, by another statement and hence in a later snapshot: a picture of a comment that was released by a
-- transaction which this one waited for shows, though it did not when this one began. Otherwise neither of the two would raise the revision for it.
CREATE OR REPLACE FUNCTION touch_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT FROM issues l WHERE l.id IN (SELECT s.issue_id FROM (%s) s) ORDER BY l.id FOR NO KEY UPDATE',
    rows_that_changed(TG_OP, 'c.*', 'TRUE'));
  EXECUTE format('UPDATE issues i SET revision = i.revision + (i.id IN (SELECT s.issue_id FROM (%s) s))::integer
    WHERE i.id IN (SELECT s.issue_id FROM (%s) s)',
    rows_that_changed(TG_OP, TG_ARGV[0], TG_ARGV[1]), rows_that_changed(TG_OP, 'c.*', 'TRUE'));
  RETURN NULL;
END $$;
