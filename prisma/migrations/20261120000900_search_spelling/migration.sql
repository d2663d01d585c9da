-- In about how many reports each word stands: a word that is typed and stands in three reports was probably meant as the one like it that
-- stands in three hundred (src/issues/spelling.ts). Words of held and rejected reports do not count.
ALTER TABLE search_words ADD COLUMN reports integer NOT NULL DEFAULT 0;

-- A word and what is left of it without any one of its letters. Two words that are one slip apart (a letter more, less or other, or two
-- neighbours swapped) always have one of these in common, so an index on them finds all such words, short ones too.
CREATE FUNCTION spellings(word text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN word || ARRAY(SELECT overlay(word PLACING '' FROM n FOR 1) FROM generate_series(1, char_length(word)) n);
CREATE INDEX search_words_spellings_idx ON search_words USING gin (spellings(word));

-- Whether a report that everybody may see has the word, as it is written or as a stem. All of them are counted: with EXISTS the planner
-- would expect one soon and read the whole table for a word that is gone.
CREATE FUNCTION stands_in_a_report(word text) RETURNS boolean LANGUAGE sql STABLE
  RETURN (SELECT count(*) > 0 FROM issues i
    WHERE i.moderation_state = 'passed'
      AND i.search @@ ('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery);

-- Counts words up and down. Nobody ever waits here: a row that another transaction is changing is passed over, and a word that is
-- frequent already is counted seldom and then by more at once, so its row is hardly ever written. A number is what one transaction after
-- the other would make it up to 16 reports, and above that right within a fifth or so. Of transactions at the same time a word loses some
-- changes, but one thing is sure: it does not fall to 0 while a public report has it, or its misspellings would find nothing.
CREATE FUNCTION count_search_words(words text[], changes bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted_words text[];
  gone text[];
BEGIN
  WITH counted AS (
    SELECT w.id, c.change
    FROM unnest(words, changes) AS c (word, change)
    JOIN search_words w ON w.word = c.word
    -- A word may have several rows; the first one counts.
    WHERE random() * w.reports < 16 * abs(c.change)
      AND NOT EXISTS (SELECT FROM search_words earlier WHERE earlier.word = w.word AND earlier.id < w.id)
    FOR NO KEY UPDATE OF w SKIP LOCKED),
  updated AS (
    UPDATE search_words w
    SET reports = greatest(w.reports + sign(c.change) * greatest(abs(c.change), w.reports / 16), 0)
    FROM counted c
    WHERE w.id = c.id
    RETURNING w.word, w.reports)
  SELECT array_agg(u.word), array_agg(u.word) FILTER (WHERE u.reports = 0) INTO counted_words, gone FROM updated u;

  -- A look at the reports, now that the first row is locked: who adds the word in this moment and is not seen gives it a row of its own.
  IF gone IS NOT NULL THEN
    WITH looked_up AS MATERIALIZED (SELECT g.word, stands_in_a_report(g.word) AS stands FROM unnest(gone) AS g (word)),
    stale AS (
      SELECT w.id, (l.stands AND NOT EXISTS (SELECT FROM search_words e WHERE e.word = w.word AND e.id < w.id))::integer AS reports
      FROM looked_up l
      JOIN search_words w ON w.word = l.word
      FOR NO KEY UPDATE OF w SKIP LOCKED)
    UPDATE search_words w SET reports = s.reports FROM stale s WHERE w.id = s.id AND w.reports <> s.reports;
  END IF;

  -- Words that are new, and rare ones whose row another transaction is just changing.
  INSERT INTO search_words (word, reports)
  SELECT c.word, c.change
  FROM unnest(words, changes) AS c (word, change)
  WHERE c.change > 0 AND length(c.word) BETWEEN 3 AND 40 AND c.word !~ '[0-9]'
    AND NOT EXISTS (SELECT FROM unnest(counted_words) AS done (word) WHERE done.word = c.word)
    AND NOT EXISTS (SELECT FROM search_words w WHERE w.word = c.word AND w.reports > 16 * c.change);
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
