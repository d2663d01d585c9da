-- In about how many reports each word stands: a word that is typed and stands in three reports was probably meant as the one like it that
-- stands in three hundred (src/issues/spelling.ts). Words of held and rejected reports do not count.
ALTER TABLE search_words ADD COLUMN reports integer NOT NULL DEFAULT 0;

-- A word and what is left of it without any one of its letters. Two words that are one slip apart (a letter more, less or other, or two
-- neighbours swapped) always have one of these in common, so an index on them finds all such words, short ones too.
CREATE FUNCTION spellings(word text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN word || ARRAY(SELECT overlay(word PLACING '' FROM n FOR 1) FROM generate_series(1, char_length(word)) n);
CREATE INDEX search_words_spellings_idx ON search_words USING gin (spellings(word));

-- Counts words up and down. Nobody ever waits here: a row that another transaction is changing is passed over, and a word that is
-- frequent already is counted seldom and then by more at once, so its row is hardly ever written. Up to 16 reports the number is exact,
-- above that it is right within a fifth or so, which is all that telling the rare from the frequent takes.
CREATE FUNCTION count_search_words(words text[], changes bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH counted AS (
    SELECT w.id, c.change
    FROM unnest(words, changes) AS c (word, change)
    JOIN search_words w ON w.word = c.word
    -- Two transactions may both have added a word; the first row counts for both.
    WHERE random() * w.reports < 16 * abs(c.change)
      AND NOT EXISTS (SELECT FROM search_words earlier WHERE earlier.word = w.word AND earlier.id < w.id)
    FOR NO KEY UPDATE OF w SKIP LOCKED)
  UPDATE search_words w
  SET reports = greatest(w.reports + sign(c.change) * greatest(abs(c.change), w.reports / 16), 0)
  FROM counted c
  WHERE w.id = c.id;

  INSERT INTO search_words (word, reports)
  SELECT c.word, c.change
  FROM unnest(words, changes) AS c (word, change)
  WHERE c.change > 0 AND length(c.word) BETWEEN 3 AND 40 AND c.word !~ '[0-9]'
    AND NOT EXISTS (SELECT FROM search_words w WHERE w.word = c.word);
END $$;

DROP TRIGGER issues_learn_words_on_insert ON issues;
DROP TRIGGER issues_learn_words_on_update ON issues;
DROP FUNCTION learn_search_words();

CREATE FUNCTION learn_search_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_search_words(array_agg(changed.word), array_agg(changed.reports))
  FROM (SELECT found.word, count(*) AS reports
        FROM new_issues i CROSS JOIN LATERAL unnest(tsvector_to_array(i.search)) AS found (word)
        WHERE i.moderation_state = 'passed'
        GROUP BY found.word) changed;
  RETURN NULL;
END $$;

CREATE FUNCTION relearn_search_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_search_words(array_agg(changed.word), array_agg(changed.reports))
  FROM (SELECT found.word, sum(found.change)::bigint AS reports
        FROM old_issues o
        JOIN new_issues n ON n.id = o.id AND (n.search, n.moderation_state) IS DISTINCT FROM (o.search, o.moderation_state)
        CROSS JOIN LATERAL (
          SELECT word, -1 FROM unnest(tsvector_to_array(o.search)) word WHERE o.moderation_state = 'passed'
          UNION ALL
          SELECT word, 1 FROM unnest(tsvector_to_array(n.search)) word WHERE n.moderation_state = 'passed') AS found (word, change)
        GROUP BY found.word
        HAVING sum(found.change) <> 0) changed;
  RETURN NULL;
END $$;

CREATE FUNCTION forget_search_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_search_words(array_agg(changed.word), array_agg(changed.reports))
  FROM (SELECT found.word, -count(*) AS reports
        FROM old_issues i CROSS JOIN LATERAL unnest(tsvector_to_array(i.search)) AS found (word)
        WHERE i.moderation_state = 'passed'
        GROUP BY found.word) changed;
  RETURN NULL;
END $$;

CREATE TRIGGER issues_learn_words_on_insert AFTER INSERT ON issues
  REFERENCING NEW TABLE AS new_issues FOR EACH STATEMENT EXECUTE FUNCTION learn_search_words();
CREATE TRIGGER issues_learn_words_on_update AFTER UPDATE ON issues
  REFERENCING OLD TABLE AS old_issues NEW TABLE AS new_issues FOR EACH STATEMENT EXECUTE FUNCTION relearn_search_words();
CREATE TRIGGER issues_learn_words_on_delete AFTER DELETE ON issues
  REFERENCING OLD TABLE AS old_issues FOR EACH STATEMENT EXECUTE FUNCTION forget_search_words();
