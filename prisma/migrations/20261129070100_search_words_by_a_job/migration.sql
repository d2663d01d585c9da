-- The jobs `add-search-words` and `count-search-words` maintain the dictionary, so that no writer counts words.
DROP TRIGGER issues_after_insert ON issues;
DROP TRIGGER issues_after_update ON issues;
DROP TRIGGER issues_after_delete ON issues;
DROP FUNCTION issues_after_insert, issues_after_update, issues_after_delete, count_search_words, is_in_public_issue;
DELETE FROM search_words w WHERE EXISTS (SELECT FROM search_words earlier WHERE earlier.word = w.word AND earlier.id < w.id);
ALTER TABLE search_words DROP COLUMN id, ALTER COLUMN reports DROP DEFAULT, ADD PRIMARY KEY (word);

-- The last public, not anonymous issue of a user defines the shared location. Users are locked before the lookup: two transactions that remove
-- the last two issues of one user would otherwise each see the other's issue. Users who do not share are locked too, because a user who
-- starts sharing reads the last issue under the same lock.
DROP FUNCTION refresh_shared_locations;
CREATE FUNCTION refresh_shared_location() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id IN (OLD.reporter_id, NEW.reporter_id) ORDER BY u.id FOR NO KEY UPDATE;
  UPDATE users u SET location_lng = latest.lng, location_lat = latest.lat
  FROM users sharing CROSS JOIN LATERAL shared_location(sharing.id) latest
  WHERE sharing.id IN (OLD.reporter_id, NEW.reporter_id) AND sharing.share_location AND u.id = sharing.id
    AND (u.location_lng, u.location_lat) IS DISTINCT FROM (latest.lng, latest.lat);
  RETURN NULL;
END $$;
CREATE TRIGGER issues_shared_location_after_insert AFTER INSERT ON issues FOR EACH ROW
  WHEN (NEW.reporter_id IS NOT NULL AND NOT NEW.anonymous AND NEW.moderation_state = 'passed') EXECUTE FUNCTION refresh_shared_location();
CREATE TRIGGER issues_shared_location_after_update AFTER UPDATE ON issues FOR EACH ROW
  WHEN ((OLD.reporter_id, OLD.anonymous, OLD.moderation_state, OLD.lng, OLD.lat, OLD.created_at)
    IS DISTINCT FROM (NEW.reporter_id, NEW.anonymous, NEW.moderation_state, NEW.lng, NEW.lat, NEW.created_at))
  EXECUTE FUNCTION refresh_shared_location();
CREATE TRIGGER issues_shared_location_after_delete AFTER DELETE ON issues FOR EACH ROW
  WHEN (OLD.reporter_id IS NOT NULL AND NOT OLD.anonymous AND OLD.moderation_state = 'passed') EXECUTE FUNCTION refresh_shared_location();

-- Answers are inserted only together with their issue, which is no change of it.
DROP TRIGGER issue_answers_after_write ON issue_answers;
CREATE TRIGGER issue_answers_after_write AFTER DELETE OR UPDATE OF question, answer, position, answer_kept_private ON issue_answers
  FOR EACH ROW EXECUTE FUNCTION after_issue_answer_write();
