-- Freshness: whatever shows in the answer of an issue raises its `revision`, in the transaction of the change itself. ETags are
-- made of revisions (never of clocks: two changes may share a millisecond), Last-Modified of `changed_at`.
CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := OLD.revision + 1;
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER issues_raise_revision BEFORE UPDATE ON issues FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER users_raise_revision BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- The names of a request type and of its organisation show in every issue of theirs: too many to touch, so they keep the moment.
CREATE FUNCTION keep_moment_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER request_types_keep_moment BEFORE UPDATE ON request_types FOR EACH ROW EXECUTE FUNCTION keep_moment_of_change();
CREATE TRIGGER organizations_keep_moment BEFORE UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION keep_moment_of_change();

-- Rows that show as a part of their issue. Issues are touched in the order of their ids, so that two transactions that touch
-- several wait for each other instead of blocking each other.
CREATE FUNCTION touch_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE issues i SET revision = i.revision
  FROM (SELECT l.id FROM issues l
        WHERE l.id IN (SELECT c.issue_id FROM changed_rows c) ORDER BY l.id FOR NO KEY UPDATE) touched
  WHERE i.id = touched.id;
  RETURN NULL;
END $$;

DO $$
DECLARE part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['comments', 'votes', 'follows', 'media', 'issue_answers'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_touch_issue_on_insert AFTER INSERT ON %1$I
      REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_issues()', part);
    EXECUTE format('CREATE TRIGGER %1$s_touch_issue_on_update AFTER UPDATE ON %1$I
      REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_issues()', part);
    EXECUTE format('CREATE TRIGGER %1$s_touch_issue_on_delete AFTER DELETE ON %1$I
      REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_issues()', part);
  END LOOP;
END $$;
