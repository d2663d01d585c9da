-- The newest issues of each cell of level 13, some 4 km across: a city's first page is cut from the first few of each of its cells, however many
-- issues there are in it or anywhere (src/geo/pyramid/walked-cells.ts, docs/adr/0038).
CREATE INDEX issues_newest_in_cell_idx ON issues ((cell >> 6), created_at DESC, id DESC)
  WHERE moderation_state = 'passed' AND status <> 'Archived';
