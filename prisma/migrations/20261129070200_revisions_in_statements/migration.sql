-- Statements that write an issue set its revisions (src/issue-lifecycle/revisions.ts), and its times here. An issue that is inserted as pending
-- review has no time of a public change.
ALTER TABLE issues ALTER COLUMN public_change_at SET DEFAULT CURRENT_TIMESTAMP;

DROP TRIGGER issues_before_write ON issues;
DROP TRIGGER issues_after_write ON issues;
DROP TRIGGER issue_answers_after_write ON issue_answers;
DROP TRIGGER comments_after_write ON comments;
DROP TRIGGER status_changes_after_write ON status_changes;
DROP TRIGGER votes_after_write ON votes;
DROP TRIGGER media_after_write ON media;
DROP FUNCTION set_issue_revisions, after_issue_write, after_issue_answer_write, after_comment_write, after_status_change_write, after_vote_write,
  after_medium_write;

-- Records a change of an issue in its revisions and in the change log. `is_public` says whether the change shows in public data.
CREATE FUNCTION revise_issue(revised_id integer, is_public boolean) RETURNS void LANGUAGE sql AS $$
  WITH revised AS (
    UPDATE issues i
    SET all_changes_revision = i.all_changes_revision + 1, any_change_at = clock_timestamp(),
      public_revision = i.public_revision + (is_public AND i.moderation_state = 'passed')::integer,
      public_change_at = CASE WHEN i.moderation_state <> 'passed' THEN NULL WHEN is_public THEN clock_timestamp() ELSE i.public_change_at END
    WHERE i.id = revised_id
    RETURNING i.cell, CASE WHEN i.moderation_state = 'passed' THEN i.status END AS status)
  INSERT INTO issue_changes (cell, former_status, status, revised) SELECT r.cell, r.status, r.status, is_public FROM revised r
$$;

-- Revises the issue after statements that set no revision: rare ones of the service, cascades, SQL by hand.
CREATE FUNCTION after_issue_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM revise_issue(NEW.id, OLD.moderation_state <> NEW.moderation_state OR OLD.public_revision <> NEW.public_revision OR
    (OLD.status, OLD.summary, OLD.description, OLD.category, OLD.base_rating, OLD.vote_count, OLD.lng, OLD.lat, OLD.address, OLD.request_type_id,
      OLD.assignee_id, OLD.video_url, OLD.remote_id, OLD.remote_title, OLD.remote_status, OLD.created_at, OLD.updated_at, OLD.acknowledged_at,
      OLD.closed_at, OLD.reopened_at, CASE WHEN NOT OLD.anonymous THEN OLD.reporter_id END)
    IS DISTINCT FROM
    (NEW.status, NEW.summary, NEW.description, NEW.category, NEW.base_rating, NEW.vote_count, NEW.lng, NEW.lat, NEW.address, NEW.request_type_id,
      NEW.assignee_id, NEW.video_url, NEW.remote_id, NEW.remote_title, NEW.remote_status, NEW.created_at, NEW.updated_at, NEW.acknowledged_at,
      NEW.closed_at, NEW.reopened_at, CASE WHEN NOT NEW.anonymous THEN NEW.reporter_id END));
  RETURN NULL;
END $$;
CREATE TRIGGER issues_after_update AFTER UPDATE ON issues FOR EACH ROW
  WHEN (OLD.all_changes_revision = NEW.all_changes_revision) EXECUTE FUNCTION after_issue_update();

-- The change log must have every change of a count. The function also writes the removal log and updates users whose public numbers change.
CREATE FUNCTION log_issue_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  former_status constant issue_status := CASE WHEN OLD.moderation_state = 'passed' THEN OLD.status END;
  status constant issue_status := CASE WHEN NEW.moderation_state = 'passed' THEN NEW.status END;
BEGIN
  IF OLD.cell <> NEW.cell THEN
    INSERT INTO issue_changes (cell, former_status, status) VALUES (OLD.cell, former_status, NULL), (NEW.cell, NULL, status);
  ELSE
    INSERT INTO issue_changes (cell, former_status, status, revised)
    VALUES (coalesce(NEW.cell, OLD.cell), former_status, status, former_status IS DISTINCT FROM status);
  END IF;
  IF former_status IS NOT NULL AND status IS NULL THEN
    INSERT INTO removal_log (table_name, removed_at) VALUES ('issues', clock_timestamp());
  END IF;
  IF TG_OP = 'UPDATE' AND ((former_status IS NULL) <> (status IS NULL) OR (status IS NOT NULL
    AND (OLD.anonymous, OLD.reporter_id) IS DISTINCT FROM (NEW.anonymous, NEW.reporter_id) AND NOT (OLD.anonymous AND NEW.anonymous)))
  THEN
    PERFORM touch_issue_users(OLD, NEW);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER issues_log_new_or_deleted AFTER INSERT OR DELETE ON issues FOR EACH ROW EXECUTE FUNCTION log_issue_change();
CREATE TRIGGER issues_log_update AFTER UPDATE ON issues FOR EACH ROW
  WHEN ((OLD.status, OLD.moderation_state, OLD.cell, OLD.anonymous, OLD.reporter_id)
    IS DISTINCT FROM (NEW.status, NEW.moderation_state, NEW.cell, NEW.anonymous, NEW.reporter_id))
  EXECUTE FUNCTION log_issue_change();

-- Answers are inserted only together with their issue, which is no change of it. Private ones show in no public data.
CREATE FUNCTION after_issue_answer_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM revise_issue(OLD.issue_id, (OLD.answer_kept_private AND coalesce(NEW.answer_kept_private, true)) IS FALSE);
  RETURN NULL;
END $$;
CREATE TRIGGER issue_answers_after_change AFTER DELETE OR UPDATE OF question, answer, position, answer_kept_private ON issue_answers
  FOR EACH ROW EXECUTE FUNCTION after_issue_answer_change();

-- The statement that inserts a comment revises the issue and updates the author. Here are edits, decisions and cascades.
CREATE FUNCTION after_comment_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_public constant boolean := OLD.moderation_state = 'passed';
  is_public constant boolean := NEW.moderation_state IS NOT DISTINCT FROM 'passed';
  authorship_changed constant boolean := was_public <> is_public OR (is_public AND OLD.commenter_id IS DISTINCT FROM NEW.commenter_id);
BEGIN
  PERFORM revise_issue(OLD.issue_id, authorship_changed OR (is_public AND
    (OLD.comment, OLD.video_url, OLD.created_at, OLD.updated_at) IS DISTINCT FROM (NEW.comment, NEW.video_url, NEW.created_at, NEW.updated_at)));
  IF authorship_changed AND EXISTS (SELECT FROM issues i WHERE i.id = OLD.issue_id AND i.moderation_state = 'passed') THEN
    PERFORM lock_users(ARRAY[OLD.commenter_id, NEW.commenter_id]);
    PERFORM touch_user(author.id, true) FROM (SELECT OLD.commenter_id AS id UNION SELECT NEW.commenter_id) author;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER comments_after_change AFTER DELETE OR UPDATE OF commenter_id, comment, video_url, moderation_state, created_at, updated_at
  ON comments FOR EACH ROW EXECUTE FUNCTION after_comment_change();

-- The statements that add and withdraw a vote do the rest; the details of an issue must also change if a user with votes is deleted.
CREATE FUNCTION after_vote_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM revise_issue(OLD.issue_id, true);
  RETURN NULL;
END $$;
CREATE TRIGGER votes_after_delete AFTER DELETE ON votes FOR EACH ROW EXECUTE FUNCTION after_vote_delete();

-- Pictures are inserted together with their issue or comment. Whether one is public is read after the issue is locked, by a second statement
-- with a newer snapshot: a transaction that this one waited for may have approved its comment.
CREATE FUNCTION after_medium_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM issues i WHERE i.id = OLD.issue_id FOR NO KEY UPDATE;
  PERFORM revise_issue(OLD.issue_id, (OLD.answer_kept_private AND coalesce(NEW.answer_kept_private, true)) IS FALSE
    AND (OLD.comment_id IS NULL OR EXISTS (SELECT FROM comments c WHERE c.id = OLD.comment_id AND c.moderation_state = 'passed')));
  RETURN NULL;
END $$;
CREATE TRIGGER media_after_change AFTER UPDATE OR DELETE ON media FOR EACH ROW EXECUTE FUNCTION after_medium_change();
