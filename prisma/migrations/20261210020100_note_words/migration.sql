-- The filter `note` of lists of staff finds words and beginnings of words.
ALTER TABLE issue_notes ADD COLUMN search tsvector GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED;
CREATE INDEX issue_notes_search_idx ON issue_notes USING gin (search);
