-- Freshness: when something that shows changed, its row says so in the transaction of the change itself. ETags are made of revisions (never
-- of clocks: two changes may share a millisecond), Last-Modified of `changed_at`. What not everybody may see moves neither, or the time of
-- a held comment could be read off an answer that does not have it. docs/adr/0007 tells why all this makes a 304 right.

-- The stamp of a change. The transaction gets its id first, so that whoever looks for transactions under way either finds this one or
-- looked before the moment that is stamped (is_settled).
CREATE FUNCTION moment_of_change() RETURNS timestamptz LANGUAGE sql VOLATILE
  RETURN CASE WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp() END;

-- Whether a moment of change may be told as the last one of what is read after this: it is more than two seconds ago, and no transaction
-- that writes here has been under way for longer than one. What such a transaction commits is then stamped within the last second, or still
-- to be stamped; one that ended before this looked is seen by what is read after it. A snapshot alone cannot say whether any is under way:
-- it knows none that is newer than the last one that ended. A session of another role does not tell since when, so it counts as old, and so
-- does a prepared transaction, which has no session. A replica is behind by nobody knows how much. A function, so that its plan is kept.
CREATE FUNCTION is_settled(moment timestamptz) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF (moment < now() - interval '2 seconds') IS NOT TRUE OR pg_is_in_recovery() THEN
    RETURN false;
  END IF;
  RETURN NOT EXISTS (
      SELECT FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.backend_xid IS NOT NULL AND (a.xact_start > now() - interval '1 second') IS NOT TRUE)
    AND NOT EXISTS (SELECT FROM pg_prepared_xacts p WHERE p.database = current_database());
END $$;

CREATE FUNCTION keep_issue_fresh() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment constant timestamptz(3) := moment_of_change();
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.changed_at := CASE WHEN NEW.moderation_state = 'passed' THEN moment END;
    NEW.inner_changed_at := moment;
    RETURN NEW;
  END IF;
  NEW.inner_revision := OLD.inner_revision + 1;
  NEW.inner_changed_at := moment;
  -- A part of the issue that changed says so by another revision (touch_issues).
  IF NEW.moderation_state <> 'passed' THEN
    NEW.revision := OLD.revision;
    NEW.changed_at := NULL;
  ELSIF OLD.moderation_state <> 'passed' OR NEW.revision <> OLD.revision OR
    (NEW.status, NEW.summary, NEW.description, NEW.category, NEW.base_rating, NEW.vote_count, NEW.lng, NEW.lat, NEW.address, NEW.request_type_id,
      NEW.assignee_id, NEW.video_url, NEW.remote_id, NEW.remote_title, NEW.remote_status, NEW.created_at, NEW.updated_at, NEW.acknowledged_at,
      NEW.closed_at, NEW.reopened_at, CASE WHEN NOT NEW.anonymous THEN NEW.reporter_id END)
    IS DISTINCT FROM
    (OLD.status, OLD.summary, OLD.description, OLD.category, OLD.base_rating, OLD.vote_count, OLD.lng, OLD.lat, OLD.address, OLD.request_type_id,
      OLD.assignee_id, OLD.video_url, OLD.remote_id, OLD.remote_title, OLD.remote_status, OLD.created_at, OLD.updated_at, OLD.acknowledged_at,
      OLD.closed_at, OLD.reopened_at, CASE WHEN NOT OLD.anonymous THEN OLD.reporter_id END)
  THEN
    NEW.revision := OLD.revision + 1;
    NEW.changed_at := moment;
  ELSE
    NEW.revision := OLD.revision;
    NEW.changed_at := OLD.changed_at;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER issues_keep_fresh BEFORE INSERT OR UPDATE ON issues FOR EACH ROW EXECUTE FUNCTION keep_issue_fresh();

CREATE FUNCTION keep_user_fresh() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment constant timestamptz(3) := moment_of_change();
  shows_in_issues boolean := true;
  shows_in_profile boolean := true;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shows_in_issues := (NEW.name, NEW.role, NEW.civic_points, NEW.avatar_full, NEW.avatar_square)
      IS DISTINCT FROM (OLD.name, OLD.role, OLD.civic_points, OLD.avatar_full, OLD.avatar_square);
    -- A number of theirs that changed says so by another `profile_changed_at` (touch_users).
    shows_in_profile := shows_in_issues OR
      (NEW.created_at, NEW.updated_at, NEW.share_location, NEW.location_lng, NEW.location_lat, NEW.profile_changed_at)
      IS DISTINCT FROM (OLD.created_at, OLD.updated_at, OLD.share_location, OLD.location_lng, OLD.location_lat, OLD.profile_changed_at);
    NEW.revision := OLD.revision + shows_in_issues::integer;
  END IF;
  NEW.changed_at := CASE WHEN shows_in_issues THEN moment ELSE OLD.changed_at END;
  NEW.profile_changed_at := CASE WHEN shows_in_profile THEN moment ELSE OLD.profile_changed_at END;
  -- Never the same twice: by this stamp a request knows whether what it read of its caller is still so.
  NEW.inner_changed_at := CASE WHEN TG_OP = 'INSERT' THEN moment ELSE greatest(moment, OLD.inner_changed_at + interval '1 millisecond') END;
  RETURN NEW;
END $$;

CREATE TRIGGER users_keep_fresh BEFORE INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION keep_user_fresh();

-- Places and forms keep the moment only. Names of request types and organisations show in every issue of theirs: too many to touch.
CREATE FUNCTION keep_moment_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := moment_of_change();
  RETURN NEW;
END $$;

DO $$
DECLARE
  kept record;
BEGIN
  FOR kept IN SELECT * FROM (VALUES
    ('places', ARRAY['name', 'url_name', 'place_type', 'county', 'state', 'boundary', 'center_lng', 'center_lat', 'area_m2']),
    ('request_types', ARRAY['organization_id', 'title', 'position', 'active', 'changed_at']),
    ('organizations', ARRAY['name', 'area'])) AS k (name, shown)
  LOOP
    EXECUTE format('CREATE TRIGGER %1$s_keep_moment_of_insert BEFORE INSERT ON %1$I
      FOR EACH ROW EXECUTE FUNCTION keep_moment_of_change()', kept.name);
    EXECUTE format('CREATE TRIGGER %1$s_keep_moment_of_update BEFORE UPDATE ON %1$I
      FOR EACH ROW WHEN ((%2$s) IS DISTINCT FROM (%3$s)) EXECUTE FUNCTION keep_moment_of_change()', kept.name,
      (SELECT string_agg(format('OLD.%I', s), ', ') FROM unnest(kept.shown) s),
      (SELECT string_agg(format('NEW.%I', s), ', ') FROM unnest(kept.shown) s));
  END LOOP;
END $$;

-- What is gone has no row left that could tell, and the latest change of the rest may be long past: so the moment is kept here.
CREATE TABLE removals (
  id         bigint GENERATED BY DEFAULT AS IDENTITY CONSTRAINT removals_pkey PRIMARY KEY,
  kind       text NOT NULL,
  removed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX removals_kind_removed_at_idx ON removals (kind, removed_at);

CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removals (kind, removed_at) VALUES (TG_TABLE_NAME, moment_of_change());
  RETURN NULL;
END $$;

CREATE FUNCTION note_removal_of_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removals (kind, removed_at)
  SELECT TG_TABLE_NAME, moment_of_change() WHERE EXISTS (SELECT FROM old_rows o WHERE o.moderation_state = 'passed');
  RETURN NULL;
END $$;

CREATE TRIGGER issues_note_hiding AFTER UPDATE ON issues
  FOR EACH ROW WHEN (OLD.moderation_state = 'passed' AND NEW.moderation_state <> 'passed') EXECUTE FUNCTION note_removal();
CREATE TRIGGER issues_note_removal AFTER DELETE ON issues
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_removal_of_issues();
CREATE TRIGGER users_note_removal AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_removal();
CREATE TRIGGER places_note_removal AFTER DELETE ON places FOR EACH ROW EXECUTE FUNCTION note_removal();
CREATE TRIGGER request_types_note_removal AFTER DELETE ON request_types FOR EACH ROW EXECUTE FUNCTION note_removal();

-- For a trigger of a statement, as text: the rows that came, went or changed among those that show.
CREATE FUNCTION rows_that_changed(operation text, columns text, condition text) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE operation
    WHEN 'INSERT' THEN format('SELECT %s FROM new_rows c WHERE %s', columns, condition)
    WHEN 'DELETE' THEN format('SELECT %s FROM old_rows c WHERE %s', columns, condition)
    ELSE format('(SELECT %1$s FROM new_rows c WHERE %2$s EXCEPT SELECT %1$s FROM old_rows c WHERE %2$s)
      UNION ALL (SELECT %1$s FROM old_rows c WHERE %2$s EXCEPT SELECT %1$s FROM new_rows c WHERE %2$s)', columns, condition) END;

-- The order of locks: first the row of the issue, then all people that the statement has to do with, here and at once, in the order of
-- their ids; whatever changes a person later in the same statement has the lock already. So two statements, each about one issue, wait for
-- each other and hardly ever both at once. Not everything can keep that order: a deletion comes to the rows that hang on an issue or a person
-- after it and to those of a comment before it, statements about several issues lock them as they find them, and so may a transaction of
-- several statements. PostgreSQL then ends one of the two (40P01), which is begun anew (Database.transaction).
CREATE FUNCTION lock_people(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id = ANY(ids) ORDER BY u.id FOR NO KEY UPDATE;
END $$;

-- Rows that show as a part of their issue. Arguments: which of their columns show, and when they do. Issues are touched in the order of
-- their ids.
CREATE FUNCTION touch_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE issues i SET revision = i.revision + touched.shows::integer
    FROM (SELECT l.id, l.id IN (SELECT s.issue_id FROM (%s) s) AS shows FROM issues l
          WHERE l.id IN (SELECT s.issue_id FROM (%s) s) ORDER BY l.id FOR NO KEY UPDATE OF l) touched
    WHERE i.id = touched.id',
    rows_that_changed(TG_OP, TG_ARGV[0], TG_ARGV[1]), rows_that_changed(TG_OP, 'c.*', 'TRUE'));
  RETURN NULL;
END $$;

-- Rows that count in the public numbers of a user, or say what the user has to do with an issue. Arguments: the columns that matter, the
-- user as `user_id` among them, when a row counts for everybody, and all columns.
CREATE FUNCTION touch_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT lock_people(ARRAY(SELECT s.user_id FROM (%s) s))', rows_that_changed(TG_OP, TG_ARGV[2], 'TRUE'));
  EXECUTE format('UPDATE users u SET inner_changed_at = clock_timestamp(),
      profile_changed_at = CASE WHEN u.id IN (SELECT s.user_id FROM (%s) s WHERE s.user_id IS NOT NULL) THEN clock_timestamp()
        ELSE u.profile_changed_at END
    WHERE u.id IN (SELECT s.user_id FROM (%s) s)',
    rows_that_changed(TG_OP, TG_ARGV[0], TG_ARGV[1]), rows_that_changed(TG_OP, TG_ARGV[2], 'TRUE'));
  RETURN NULL;
END $$;

-- The questions of a request type are a part of its form.
CREATE FUNCTION touch_request_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE request_types rt SET changed_at = clock_timestamp()
    FROM (SELECT l.id FROM request_types l
          WHERE l.id IN (SELECT s.request_type_id FROM (%s) s) ORDER BY l.id FOR NO KEY UPDATE OF l) touched
    WHERE rt.id = touched.id',
    rows_that_changed(TG_OP, 'c.*', 'TRUE'));
  RETURN NULL;
END $$;

DO $$
DECLARE
  -- What somebody does about an issue of their own that is anonymous counts nowhere: the numbers would tell whose it is.
  counts constant text := 'EXISTS (SELECT FROM issues i WHERE i.id = c.issue_id AND i.moderation_state = ''passed''
    AND (i.anonymous AND i.reporter_id = c.%I) IS NOT TRUE)';
  part record;
BEGIN
  FOR part IN SELECT * FROM (VALUES
    ('comments', 'touch_issues', ARRAY['c.issue_id, c.id, c.commenter_id, c.comment, c.video_url, c.created_at, c.updated_at',
      'c.moderation_state = ''passed''']),
    ('votes', 'touch_issues', ARRAY['c.issue_id, c.user_id, c.created_at', 'TRUE']),
    ('media', 'touch_issues', ARRAY['c.issue_id, c.id, c.comment_id, c.full_key, c.square_key, c.representative_key',
      'NOT c.answer_kept_private
      AND (c.comment_id IS NULL OR EXISTS (SELECT FROM comments k WHERE k.id = c.comment_id AND k.moderation_state = ''passed''))']),
    ('issue_answers', 'touch_issues', ARRAY['c.issue_id, c.id, c.question, c.answer, c.position', 'NOT c.answer_kept_private']),
    ('comments', 'touch_users', ARRAY['c.commenter_id AS user_id, c.issue_id, c.id', 'c.moderation_state = ''passed''
      AND EXISTS (SELECT FROM issues i WHERE i.id = c.issue_id AND i.moderation_state = ''passed'')', 'c.*, c.commenter_id AS user_id']),
    ('votes', 'touch_users', ARRAY['c.user_id, c.issue_id', format(counts, 'user_id'), 'c.*']),
    ('follows', 'touch_users', ARRAY['c.user_id, c.issue_id', format(counts, 'user_id'), 'c.*']),
    ('status_changes', 'touch_users', ARRAY['c.actor_id AS user_id, c.issue_id, c.id',
      'c.to_status = ''Closed'' AND ' || format(counts, 'actor_id'), 'c.*, c.actor_id AS user_id']),
    ('organization_members', 'touch_users', ARRAY['c.user_id, c.organization_id', 'TRUE', 'c.*']),
    ('request_type_questions', 'touch_request_types', ARRAY[]::text[])) AS p (name, touch, arguments)
  LOOP
    FOR n IN 1..3 LOOP
      EXECUTE format('CREATE TRIGGER %1$s_%2$s_on_%3$s AFTER %3$s ON %1$I REFERENCING %4$s FOR EACH STATEMENT EXECUTE FUNCTION %2$I(%5$s)',
        part.name, part.touch, (ARRAY['insert', 'update', 'delete'])[n],
        (ARRAY['NEW TABLE AS new_rows', 'OLD TABLE AS old_rows NEW TABLE AS new_rows', 'OLD TABLE AS old_rows'])[n],
        (SELECT string_agg(quote_literal(a), ', ') FROM unnest(part.arguments) a));
    END LOOP;
  END LOOP;
END $$;

-- When an issue comes, goes or gets another reporter, the public numbers of people change without a row of theirs.
CREATE FUNCTION touch_people_of_issue() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_public constant boolean := OLD.moderation_state = 'passed';
  is_public constant boolean := TG_OP = 'UPDATE' AND NEW.moderation_state = 'passed';
  comes_or_goes constant boolean := was_public <> is_public;
  unnamed integer;
BEGIN
  IF was_public THEN
    unnamed := CASE WHEN OLD.anonymous THEN OLD.reporter_id END;
  ELSE
    unnamed := CASE WHEN NEW.anonymous THEN NEW.reporter_id END;
  END IF;
  -- More of them than change here: a deletion takes along what everybody did, and a shared location follows a report without a name, too.
  PERFORM lock_people(ARRAY(
    SELECT OLD.reporter_id
    UNION SELECT NEW.reporter_id
    UNION SELECT p.user_id FROM (
      SELECT c.commenter_id AS user_id FROM comments c WHERE c.issue_id = OLD.id
      UNION ALL SELECT f.user_id FROM follows f WHERE f.issue_id = OLD.id
      UNION ALL SELECT v.user_id FROM votes v WHERE v.issue_id = OLD.id
      UNION ALL SELECT s.actor_id FROM status_changes s WHERE s.issue_id = OLD.id) p
    WHERE comes_or_goes OR TG_OP = 'DELETE'));
  UPDATE users u SET profile_changed_at = clock_timestamp()
  WHERE u.id IN (
    SELECT OLD.reporter_id WHERE was_public AND NOT OLD.anonymous
    UNION ALL SELECT NEW.reporter_id WHERE is_public AND NOT NEW.anonymous
    UNION ALL SELECT c.commenter_id FROM comments c WHERE comes_or_goes AND c.issue_id = OLD.id AND c.moderation_state = 'passed'
    UNION ALL SELECT p.user_id FROM (
      SELECT f.user_id FROM follows f WHERE f.issue_id = OLD.id
      UNION ALL SELECT v.user_id FROM votes v WHERE v.issue_id = OLD.id
      UNION ALL SELECT s.actor_id FROM status_changes s WHERE s.issue_id = OLD.id AND s.to_status = 'Closed') p
    WHERE comes_or_goes AND p.user_id IS DISTINCT FROM unnamed);
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TRIGGER issues_touch_people_on_update AFTER UPDATE ON issues FOR EACH ROW
  WHEN ((OLD.moderation_state = 'passed') <> (NEW.moderation_state = 'passed') OR
    (NEW.moderation_state = 'passed' AND (OLD.anonymous, OLD.reporter_id) IS DISTINCT FROM (NEW.anonymous, NEW.reporter_id)
      AND NOT (OLD.anonymous AND NEW.anonymous)))
  EXECUTE FUNCTION touch_people_of_issue();
-- For one that nobody sees as well: only before it is gone can its people be locked in one go.
CREATE TRIGGER issues_touch_people_on_delete BEFORE DELETE ON issues FOR EACH ROW EXECUTE FUNCTION touch_people_of_issue();
