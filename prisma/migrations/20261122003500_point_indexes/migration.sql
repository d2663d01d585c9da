-- PostgreSQL forgets entries of a GiST index when such an index is read again and again within one statement and grows meanwhile
-- (docs/adr/0035). A partial index may be read as a whole by whoever asks for its rows, wherever they are; these may not any more:
-- every issue has a point, but only a statement that asks where it is implies that. So `point` must stay nullable in the catalogue.
-- Made anew, they have all entries that they should have.
DROP INDEX issues_current_point_idx, issues_point_idx, issues_geography_idx;
CREATE INDEX issues_current_point_idx ON issues USING gist (point)
  WHERE moderation_state = 'passed' AND status <> 'Archived' AND point IS NOT NULL;
CREATE INDEX issues_point_idx ON issues USING gist (point) WHERE moderation_state = 'passed' AND point IS NOT NULL;
CREATE INDEX issues_geography_idx ON issues USING gist ((point::geography))
  WHERE moderation_state = 'passed' AND point::geography IS NOT NULL;
