-- The pyramid (docs/adr/0031): the world in square cells of 360/2^level degrees, level 0 to 16, and for each cell how many public issues of
-- each status it holds and how often something that shows in them changed. Any area is then whole cells, summed, and cells at its edge, whose
-- issues are compared one by one. src/geo/pyramid reads it.
--
-- A cell is one number: a 1, then two bits for each level (south or north, west or east) from the coarsest on: its parent is cell >> 2, and the
-- cells of the finest level beneath it are one range. Rounding does not matter: a point is in the cell that `issue_cell` says, and covers
-- reckon with nothing but that this function never falls from west to east and from south to north.

CREATE FUNCTION issue_cell(lng double precision, lat double precision) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  x bigint := least(floor((lng + 180) / 360 * 65536), 65535);
  y bigint := least(floor((lat + 90) / 360 * 65536), 32767);
BEGIN
  -- The bits of each are spread to every second place (Morton's order).
  x := (x | (x << 8)) & 16711935;
  x := (x | (x << 4)) & 252645135;
  x := (x | (x << 2)) & 858993459;
  x := (x | (x << 1)) & 1431655765;
  y := (y | (y << 8)) & 16711935;
  y := (y | (y << 4)) & 252645135;
  y := (y | (y << 2)) & 858993459;
  y := (y | (y << 1)) & 1431655765;
  RETURN 4294967296 | (y << 1) | x;
END $$;

CREATE FUNCTION cell_level(cell bigint) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN width_bucket(cell, '{4,16,64,256,1024,4096,16384,65536,262144,1048576,4194304,16777216,67108864,268435456,1073741824,4294967296}'::bigint[]);

-- The first and the last cell of the finest level beneath a cell.
CREATE FUNCTION first_cell_in(cell bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN cell << (2 * (16 - cell_level(cell)));
CREATE FUNCTION last_cell_in(cell bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ((cell + 1) << (2 * (16 - cell_level(cell)))) - 1;

ALTER TABLE issues ADD COLUMN cell bigint GENERATED ALWAYS AS (issue_cell(lng, lat)) STORED;
-- With all that an edge compares, so that counting it reads no row of the table.
CREATE INDEX issues_cell_idx ON issues (cell) INCLUDE (status, lng, lat) WHERE moderation_state = 'passed';

CREATE TABLE issue_cells (
  cell          bigint CONSTRAINT issue_cells_pkey PRIMARY KEY,
  open          integer NOT NULL,
  acknowledged  integer NOT NULL,
  closed        integer NOT NULL,
  archived      integer NOT NULL,
  -- How often something that everybody may see in its issues changed, ever; and how often anything did.
  changes       bigint NOT NULL,
  inner_changes bigint NOT NULL
) WITH (fillfactor = 70);

-- What is not yet added up: whoever changes an issue appends here and waits for nobody, since the coarse cells are everybody's. A cell of the
-- finest level each.
CREATE TABLE issue_cell_changes (
  cell          bigint NOT NULL,
  id            bigint GENERATED ALWAYS AS IDENTITY,
  open          integer NOT NULL,
  acknowledged  integer NOT NULL,
  closed        integer NOT NULL,
  archived      integer NOT NULL,
  changes       integer NOT NULL,
  inner_changes integer NOT NULL,
  CONSTRAINT issue_cell_changes_pkey PRIMARY KEY (cell, id)
) -- Never cut back to no pages at all, when a connection that plans its statements would keep plans for an empty table.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

CREATE FUNCTION note_issue_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO issue_cell_changes (cell, open, acknowledged, closed, archived, changes, inner_changes)
    SELECT n.cell,
      count(*) FILTER (WHERE n.status = 'Open' AND n.moderation_state = 'passed'),
      count(*) FILTER (WHERE n.status = 'Acknowledged' AND n.moderation_state = 'passed'),
      count(*) FILTER (WHERE n.status = 'Closed' AND n.moderation_state = 'passed'),
      count(*) FILTER (WHERE n.status = 'Archived' AND n.moderation_state = 'passed'),
      count(*) FILTER (WHERE n.moderation_state = 'passed'), count(*)
    FROM new_rows n GROUP BY n.cell;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO issue_cell_changes (cell, open, acknowledged, closed, archived, changes, inner_changes)
    SELECT o.cell,
      -count(*) FILTER (WHERE o.status = 'Open' AND o.moderation_state = 'passed'),
      -count(*) FILTER (WHERE o.status = 'Acknowledged' AND o.moderation_state = 'passed'),
      -count(*) FILTER (WHERE o.status = 'Closed' AND o.moderation_state = 'passed'),
      -count(*) FILTER (WHERE o.status = 'Archived' AND o.moderation_state = 'passed'),
      count(*) FILTER (WHERE o.moderation_state = 'passed'), count(*)
    FROM old_rows o GROUP BY o.cell;
  ELSE
    -- Its revision says whether something shown changed (the migration on freshness); where it is no longer shown, or elsewhere, that it went.
    INSERT INTO issue_cell_changes (cell, open, acknowledged, closed, archived, changes, inner_changes)
    SELECT c.cell, sum(c.sign * (c.status = 'Open')::integer), sum(c.sign * (c.status = 'Acknowledged')::integer),
      sum(c.sign * (c.status = 'Closed')::integer), sum(c.sign * (c.status = 'Archived')::integer), sum(c.changes), sum(c.inner_changes)
    FROM (
      SELECT n.cell, n.status, (n.moderation_state = 'passed')::integer AS sign,
        (n.moderation_state = 'passed' AND (o.moderation_state <> 'passed' OR o.revision <> n.revision))::integer AS changes,
        1 AS inner_changes
      FROM new_rows n JOIN old_rows o ON o.id = n.id
      UNION ALL
      SELECT o.cell, o.status, -(o.moderation_state = 'passed')::integer,
        (o.moderation_state = 'passed' AND (n.moderation_state <> 'passed' OR o.cell <> n.cell))::integer, (o.cell <> n.cell)::integer
      FROM old_rows o JOIN new_rows n ON n.id = o.id) c
    GROUP BY c.cell;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER issues_note_cells_on_insert AFTER INSERT ON issues
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_issue_cells();
CREATE TRIGGER issues_note_cells_on_update AFTER UPDATE ON issues
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_issue_cells();
CREATE TRIGGER issues_note_cells_on_delete AFTER DELETE ON issues
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_issue_cells();

-- Cell 0 is none: its changes are a random number that stands for everything that went past the triggers, after which counts of changes may begin
-- anew, and no tag that was made of them may be right again.
CREATE FUNCTION begin_epoch_of_cells() RETURNS void LANGUAGE sql AS $$
  INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, changes, inner_changes)
  SELECT 0, 0, 0, 0, 0, e.epoch, e.epoch FROM (SELECT (random() * 1e12)::bigint AS epoch) e
  ON CONFLICT (cell) DO UPDATE SET changes = EXCLUDED.changes, inner_changes = EXCLUDED.inner_changes
$$;

CREATE FUNCTION forget_issue_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Not truncated: one statement may empty all three.
  DELETE FROM issue_cell_changes;
  DELETE FROM issue_cells;
  PERFORM begin_epoch_of_cells();
  RETURN NULL;
END $$;
CREATE TRIGGER issues_forget_cells AFTER TRUNCATE ON issues FOR EACH STATEMENT EXECUTE FUNCTION forget_issue_cells();

-- Adds up to so many changes to their cells of all levels; gives how many it took. One at a time: whoever comes meanwhile takes none, and what
-- is appended meanwhile is the next one's. One statement moves them, so at every moment each is in exactly one of the two tables.
CREATE FUNCTION fold_issue_cells(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  folded integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('fold_issue_cells')) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM issue_cell_changes u
    WHERE u.ctid = ANY(ARRAY(SELECT t.ctid FROM issue_cell_changes t LIMIT most))
    RETURNING u.*),
  by_finest AS (
    SELECT t.cell, sum(t.open) AS open, sum(t.acknowledged) AS acknowledged, sum(t.closed) AS closed, sum(t.archived) AS archived,
      sum(t.changes) AS changes, sum(t.inner_changes) AS inner_changes
    FROM taken t GROUP BY t.cell),
  added AS (
    INSERT INTO issue_cells AS c (cell, open, acknowledged, closed, archived, changes, inner_changes)
    SELECT f.cell >> (2 * up.levels) AS cell, sum(f.open), sum(f.acknowledged), sum(f.closed), sum(f.archived), sum(f.changes), sum(f.inner_changes)
    FROM by_finest f CROSS JOIN generate_series(0, 16) up (levels)
    GROUP BY 1
    ON CONFLICT (cell) DO UPDATE SET open = c.open + EXCLUDED.open, acknowledged = c.acknowledged + EXCLUDED.acknowledged,
      closed = c.closed + EXCLUDED.closed, archived = c.archived + EXCLUDED.archived, changes = c.changes + EXCLUDED.changes,
      inner_changes = c.inner_changes + EXCLUDED.inner_changes)
  SELECT count(*) INTO folded FROM taken;
  RETURN folded;
END $$;

-- What the cells of all levels should hold, counted from the issues themselves; each issue as one change.
CREATE FUNCTION counted_issue_cells() RETURNS SETOF issue_cells LANGUAGE sql STABLE AS $$
  WITH finest AS (
    SELECT i.cell, count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Open') AS open,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Acknowledged') AS acknowledged,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Closed') AS closed,
      count(*) FILTER (WHERE i.moderation_state = 'passed' AND i.status = 'Archived') AS archived,
      count(*) FILTER (WHERE i.moderation_state = 'passed') AS changes, count(*) AS inner_changes
    FROM issues i GROUP BY i.cell)
  SELECT f.cell >> (2 * up.levels), sum(f.open)::integer, sum(f.acknowledged)::integer, sum(f.closed)::integer, sum(f.archived)::integer,
    sum(f.changes)::bigint, sum(f.inner_changes)::bigint
  FROM finest f CROSS JOIN generate_series(0, 16) up (levels)
  GROUP BY 1
$$;

-- The cover of an area: cells that it holds whole, each as coarse as can be, and cells at its edge, about as fine as 32 to its breadth. Cells
-- are taken a billionth of a degree larger than they are, far more than any rounding: so what is inside is, and what is left out is outside.
CREATE FUNCTION cover_of(area geometry, OUT inner_cells bigint[], OUT edge_cells bigint[]) LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  breadth constant double precision := greatest((ST_XMax(area) - ST_XMin(area) + ST_YMax(area) - ST_YMin(area)) / 2, 1e-9);
  finest constant integer := least(greatest(ceil(ln(360 / breadth * 32) / ln(2)), 4), 16);
BEGIN
  WITH RECURSIVE cells (cell, level, x, y, is_inner) AS (
    SELECT 1::bigint, 0, 0, 0, false
    UNION ALL
    SELECT child.cell, child.level, child.x, child.y, ST_Covers(area, child.square)
    FROM (
      SELECT q.*, ST_MakeEnvelope(-180 + q.x * 360 / 2.0 ^ q.level - 1e-9, -90 + q.y * 360 / 2.0 ^ q.level - 1e-9,
        -180 + (q.x + 1) * 360 / 2.0 ^ q.level + 1e-9, -90 + (q.y + 1) * 360 / 2.0 ^ q.level + 1e-9, 4326) AS square
      FROM (
        SELECT c.cell * 4 + n AS cell, c.level + 1 AS level, c.x * 2 + (n & 1) AS x, c.y * 2 + (n >> 1) AS y
        FROM cells c CROSS JOIN generate_series(0, 3) n WHERE NOT c.is_inner AND c.level < finest) q) child
    WHERE child.square && area AND ST_Intersects(area, child.square))
  SELECT coalesce(array_agg(c.cell ORDER BY c.cell) FILTER (WHERE c.is_inner), '{}'),
    coalesce(array_agg(c.cell ORDER BY c.cell) FILTER (WHERE NOT c.is_inner AND c.level = finest), '{}')
  INTO inner_cells, edge_cells
  FROM cells c;
END $$;

ALTER TABLE places ADD COLUMN inner_cells bigint[] NOT NULL DEFAULT '{}', ADD COLUMN edge_cells bigint[] NOT NULL DEFAULT '{}';
-- Of drawn ones alone: circles and boxes are covered when they are asked for, places have their own.
ALTER TABLE watch_areas ADD COLUMN inner_cells bigint[] NOT NULL DEFAULT '{}', ADD COLUMN edge_cells bigint[] NOT NULL DEFAULT '{}';

CREATE FUNCTION keep_cover_of_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT c.inner_cells, c.edge_cells INTO NEW.inner_cells, NEW.edge_cells FROM cover_of(NEW.boundary) c;
  RETURN NEW;
END $$;
CREATE TRIGGER places_keep_cover_of_insert BEFORE INSERT ON places FOR EACH ROW EXECUTE FUNCTION keep_cover_of_place();
CREATE TRIGGER places_keep_cover_of_update BEFORE UPDATE ON places FOR EACH ROW
  WHEN (ST_AsBinary(OLD.boundary) IS DISTINCT FROM ST_AsBinary(NEW.boundary)) EXECUTE FUNCTION keep_cover_of_place();

CREATE FUNCTION keep_cover_of_watch_area() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.kind = 'polygon' AND NEW.area IS NOT NULL THEN
    SELECT c.inner_cells, c.edge_cells INTO NEW.inner_cells, NEW.edge_cells FROM cover_of(NEW.area) c;
  ELSE
    NEW.inner_cells := '{}';
    NEW.edge_cells := '{}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER watch_areas_keep_cover_of_insert BEFORE INSERT ON watch_areas FOR EACH ROW EXECUTE FUNCTION keep_cover_of_watch_area();
CREATE TRIGGER watch_areas_keep_cover_of_update BEFORE UPDATE ON watch_areas FOR EACH ROW
  WHEN (OLD.kind <> NEW.kind OR ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area)) EXECUTE FUNCTION keep_cover_of_watch_area();

-- What is there already.
UPDATE places SET (inner_cells, edge_cells) = (SELECT c.inner_cells, c.edge_cells FROM cover_of(boundary) c);
UPDATE watch_areas SET (inner_cells, edge_cells) = (SELECT c.inner_cells, c.edge_cells FROM cover_of(area) c)
WHERE kind = 'polygon' AND area IS NOT NULL;

INSERT INTO issue_cells SELECT * FROM counted_issue_cells();
