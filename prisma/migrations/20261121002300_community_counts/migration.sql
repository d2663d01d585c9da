-- How popular a question is: its answers that show, and the votes for those. The numbers stand on the rows, so that a page of questions is read
-- in the order of an index, and triggers keep them, so that no way of writing can forget them: whoever hides an answer hides it, and that is all.
-- Nobody can vote for what does not show, so a question has answers exactly where its popularity is above 0.
ALTER TABLE answers ADD COLUMN vote_count integer NOT NULL DEFAULT 0 CONSTRAINT answers_vote_count_not_negative CHECK (vote_count >= 0);
ALTER TABLE questions
  ADD COLUMN answer_count integer NOT NULL DEFAULT 0,
  ADD COLUMN vote_count integer NOT NULL DEFAULT 0,
  ADD COLUMN popularity integer GENERATED ALWAYS AS (answer_count + vote_count) STORED,
  -- When something of it or of its answers last changed that everybody may see.
  ADD COLUMN changed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN search tsvector GENERATED ALWAYS AS (
    to_tsvector('public.fixpoint_words'::regconfig, search_text(question, NULL, NULL))
    || setweight(to_tsvector('public.fixpoint_stems'::regconfig, search_text(question, NULL, NULL)), 'B')) STORED,
  ADD CONSTRAINT questions_counts_known CHECK (answer_count >= 0 AND vote_count >= 0 AND (answer_count > 0 OR vote_count = 0));

-- What is there already: one accepted answer of a question, the first, and only where it shows; then the numbers.
UPDATE answers a SET accepted_at = NULL
WHERE a.accepted_at IS NOT NULL AND (a.moderation_state <> 'passed' OR EXISTS (
  SELECT FROM answers b WHERE b.question_id = a.question_id AND b.moderation_state = 'passed' AND (b.accepted_at, b.id) < (a.accepted_at, a.id)));
UPDATE answers a SET vote_count = v.votes
FROM (SELECT answer_id, count(*)::integer AS votes FROM answer_votes GROUP BY answer_id) v WHERE v.answer_id = a.id;
UPDATE questions q SET answer_count = s.answers, vote_count = s.votes
FROM (SELECT question_id, count(*)::integer AS answers, sum(vote_count)::integer AS votes
      FROM answers WHERE moderation_state = 'passed' GROUP BY question_id) s
WHERE s.question_id = q.id;

-- One index for the list and both of its subsets, which are popularity > 0 and popularity = 0.
CREATE INDEX questions_popularity_idx ON questions (place_id, popularity DESC, created_at DESC, id DESC) WHERE moderation_state = 'passed';
CREATE INDEX questions_changed_at_idx ON questions (place_id, changed_at) WHERE moderation_state = 'passed';
CREATE INDEX questions_search_idx ON questions USING gin (search) WHERE moderation_state = 'passed';
-- As readers meet them: the accepted one, then by votes, the oldest first among equals.
CREATE INDEX answers_best_idx ON answers (question_id, (accepted_at IS NULL), vote_count DESC, created_at, id) WHERE moderation_state = 'passed';
CREATE UNIQUE INDEX answers_accepted_key ON answers (question_id) WHERE accepted_at IS NOT NULL;

-- What nobody sees is accepted by nobody.
CREATE FUNCTION keep_acceptance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.accepted_at := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER answers_keep_acceptance BEFORE INSERT OR UPDATE ON answers
  FOR EACH ROW WHEN (NEW.moderation_state <> 'passed' AND NEW.accepted_at IS NOT NULL) EXECUTE FUNCTION keep_acceptance();

-- For a trigger of a statement, as text: rows that came count 1, those that went -1, those that changed both.
CREATE FUNCTION rows_with_sign(operation text) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE operation
    WHEN 'INSERT' THEN 'SELECT r.*, 1 AS sign FROM new_rows r'
    WHEN 'DELETE' THEN 'SELECT r.*, -1 AS sign FROM old_rows r'
    ELSE 'SELECT r.*, 1 AS sign FROM new_rows r UNION ALL SELECT r.*, -1 AS sign FROM old_rows r' END;

-- Questions are locked before their answers and before people, and in the order of their ids.
CREATE FUNCTION count_answer_votes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT FROM questions q WHERE q.id IN (SELECT a.question_id FROM answers a JOIN (%s) r ON r.answer_id = a.id)
    ORDER BY q.id FOR NO KEY UPDATE', rows_with_sign(TG_OP));
  EXECUTE format('UPDATE answers a SET vote_count = a.vote_count + d.votes
    FROM (SELECT r.answer_id, sum(r.sign)::integer AS votes FROM (%s) r GROUP BY r.answer_id) d
    WHERE a.id = d.answer_id AND d.votes <> 0', rows_with_sign(TG_OP));
  RETURN NULL;
END $$;

-- Also where no number moves: an answer is a part of its question, and its change one of the question.
CREATE FUNCTION count_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE questions q
    SET answer_count = q.answer_count + d.answers, vote_count = q.vote_count + d.votes, changed_at = clock_timestamp()
    FROM (SELECT l.id, c.answers, c.votes FROM questions l
          JOIN (SELECT r.question_id, sum(r.sign)::integer AS answers, sum(r.sign * r.vote_count)::integer AS votes
                FROM (%s) r WHERE r.moderation_state = ''passed'' GROUP BY r.question_id) c ON c.question_id = l.id
          ORDER BY l.id FOR NO KEY UPDATE OF l) d
    WHERE q.id = d.id', rows_with_sign(TG_OP));
  RETURN NULL;
END $$;

DO $$
DECLARE
  counted record;
BEGIN
  FOR counted IN SELECT * FROM (VALUES ('answer_votes', 'count_answer_votes'), ('answers', 'count_answers')) AS c (name, does) LOOP
    FOR n IN 1..3 LOOP
      EXECUTE format('CREATE TRIGGER %1$s_count_on_%2$s AFTER %2$s ON %1$I REFERENCING %3$s FOR EACH STATEMENT EXECUTE FUNCTION %4$I()',
        counted.name, (ARRAY['insert', 'update', 'delete'])[n],
        (ARRAY['NEW TABLE AS new_rows', 'OLD TABLE AS old_rows NEW TABLE AS new_rows', 'OLD TABLE AS old_rows'])[n], counted.does);
    END LOOP;
  END LOOP;
END $$;

-- Freshness, as in the migration on it.
CREATE TRIGGER questions_keep_moment_of_insert BEFORE INSERT ON questions FOR EACH ROW EXECUTE FUNCTION keep_moment_of_change();
CREATE TRIGGER questions_keep_moment_of_update BEFORE UPDATE ON questions FOR EACH ROW
  WHEN ((OLD.place_id, OLD.asker_id, OLD.question, OLD.locale, OLD.moderation_state, OLD.answer_count, OLD.vote_count, OLD.created_at,
      OLD.updated_at, OLD.changed_at)
    IS DISTINCT FROM (NEW.place_id, NEW.asker_id, NEW.question, NEW.locale, NEW.moderation_state, NEW.answer_count, NEW.vote_count,
      NEW.created_at, NEW.updated_at, NEW.changed_at))
  EXECUTE FUNCTION keep_moment_of_change();
CREATE TRIGGER questions_note_hiding AFTER UPDATE ON questions
  FOR EACH ROW WHEN (OLD.moderation_state = 'passed' AND NEW.moderation_state <> 'passed') EXECUTE FUNCTION note_removal();
CREATE TRIGGER questions_note_removal AFTER DELETE ON questions
  FOR EACH ROW WHEN (OLD.moderation_state = 'passed') EXECUTE FUNCTION note_removal();

-- Identical questions and answers of one author within an hour (src/moderation/rules.ts).
CREATE INDEX questions_asker_id_created_at_idx ON questions (asker_id, created_at);
CREATE INDEX answers_answerer_id_created_at_idx ON answers (answerer_id, created_at);
DROP INDEX questions_asker_id_idx;
DROP INDEX answers_answerer_id_idx;
