-- Coordinates are WGS84 (EPSG 4326), longitude first. Sizes of cells and boxes are in degrees.

CREATE EXTENSION IF NOT EXISTS postgis;
-- btree_gist allows an index on an id and a box (area_pieces).
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- The world is divided into square cells of 360/2^level degrees, level 0 to 16 (docs/adr/0004). A cell is one number: a 1, then two bits for
-- each level (south or north, west or east), the coarsest first. So its parent is cell >> 2, and the cells of level 16 in it are one range.

-- Returns the cell of level 16 of a point. Cells increase monotonically from west to east and from south to north.
CREATE FUNCTION issue_cell(lng double precision, lat double precision) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  xy bigint := least(floor((lng + 180) / 360 * 65536), 65535)::bigint | (least(floor((lat + 90) / 360 * 65536), 32767)::bigint << 32);
BEGIN
  -- The bits of both numbers move to every second place (Morton order); the row is in the upper half.
  xy := (xy | (xy << 8)) & 71777214294589695;
  xy := (xy | (xy << 4)) & 1085102592571150095;
  xy := (xy | (xy << 2)) & 3689348814741910323;
  xy := (xy | (xy << 1)) & 6148914691236517205;
  RETURN 4294967296 | (xy >> 31) | (xy & 4294967295);
END $$;

CREATE FUNCTION cell_level(cell bigint) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN width_bucket(cell, '{4,16,64,256,1024,4096,16384,65536,262144,1048576,4194304,16777216,67108864,268435456,1073741824,4294967296}'::bigint[]);

-- Return the first and the last cell of level 16 in a cell.
CREATE FUNCTION first_cell_in(cell bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN cell << (2 * (16 - cell_level(cell)));
CREATE FUNCTION last_cell_in(cell bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ((cell + 1) << (2 * (16 - cell_level(cell)))) - 1;

-- Returns the cells of an area: inner cells, as coarse as possible, and boundary cells, of which 32 to 64 span the area; both also as ranges
-- of cells of level 16; and at most 64 bounding cells that contain the whole area. Cells are enlarged by a billionth of a degree, far more
-- than rounding, so inner cells are certainly inside and omitted cells are certainly outside.
CREATE FUNCTION cover_area(area geometry, OUT inner_cells bigint[], OUT boundary_cells bigint[], OUT inner_ranges int8multirange,
  OUT boundary_ranges int8multirange, OUT bounding_cells bigint[]) LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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
    coalesce(array_agg(c.cell ORDER BY c.cell) FILTER (WHERE NOT c.is_inner AND c.level = finest), '{}'),
    coalesce(range_agg(int8range(first_cell_in(c.cell), last_cell_in(c.cell) + 1)) FILTER (WHERE c.is_inner), '{}'),
    coalesce(range_agg(int8range(first_cell_in(c.cell), last_cell_in(c.cell) + 1)) FILTER (WHERE NOT c.is_inner AND c.level = finest), '{}')
  INTO inner_cells, boundary_cells, inner_ranges, boundary_ranges
  FROM cells c;
  FOR level IN REVERSE 16 .. 0 LOOP
    SELECT array_agg(DISTINCT c.cell >> (2 * greatest(cell_level(c.cell) - level, 0))) INTO bounding_cells FROM unnest(inner_cells || boundary_cells) c (cell);
    EXIT WHEN coalesce(cardinality(bounding_cells), 0) <= 64;
  END LOOP;
  bounding_cells := coalesce(bounding_cells, '{}');
END $$;

-- ST_Covers compares a point with each edge at its latitude, which takes seconds for an area with thousands of edges side by side
-- (docs/adr/0003). So an area is divided into pieces with a few dozen edges each, and a point is compared with one of them.
-- A piece is a box and the part of the area that matters in it. Edges outside the box are replaced by a shorter path around the box. No edge
-- that reaches the box is cut or moved, so ST_Covers gives exactly the same result as for the whole area. ST_Subdivide cuts edges, which
-- moves them by rounding.

-- `ends` has the last position of each ring, `holes` says which rings are holes of the polygon before them.
CREATE TYPE area_part AS (
  west double precision, south double precision, east double precision, north double precision,
  xs double precision[], ys double precision[], ends integer[], holes boolean[]);

-- Returns the part that matters in a smaller box; null if the area does not reach the box.
CREATE FUNCTION clip_area_part(part area_part, west double precision, south double precision, east double precision, north double precision)
RETURNS area_part LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- The margin exceeds rounding, so an omitted edge is certainly outside.
  margin constant double precision := 1e-9;
  w constant double precision := west - margin;
  s constant double precision := south - margin;
  e constant double precision := east + margin;
  n constant double precision := north + margin;
  centre_x constant double precision := (w + e) / 2;
  centre_y constant double precision := (s + n) / 2;
  half_width constant double precision := (e - w) / 2;
  half_height constant double precision := (n - s) / 2;
  all_xs constant double precision[] := part.xs;
  all_ys constant double precision[] := part.ys;
  xs double precision[] := '{}';
  ys double precision[] := '{}';
  -- Sides of the box on which a position lies: 1 west, 2 east, 4 south, 8 north, or a sum of two.
  sides integer[] := '{}';
  ends integer[] := '{}';
  holes boolean[] := '{}';
  top integer := 0;
  -- Positions up to here are fixed, because the last edge that reaches the box ends there.
  fixed integer;
  ring_start integer := 1;
  ring_end integer;
  ring_top integer;
  first integer;
  at integer;
  x double precision;
  y double precision;
  side integer;
  before_x double precision;
  before_y double precision;
  before integer;
  turn double precision;
  corner integer;
  is_shell_out boolean := false;
BEGIN
  FOR ring IN 1 .. cardinality(part.ends) LOOP
    ring_end := part.ends[ring];
    is_shell_out := is_shell_out AND part.holes[ring];
    IF NOT is_shell_out THEN
      -- The ring starts with an edge that reaches the box, so that every path between two such edges is contiguous.
      first := NULL;
      FOR i IN ring_start .. ring_end LOOP
        x := all_xs[i];
        y := all_ys[i];
        side := CASE WHEN x < w THEN 1 WHEN x > e THEN 2 ELSE 0 END | CASE WHEN y < s THEN 4 WHEN y > n THEN 8 ELSE 0 END;
        IF i > ring_start AND before & side = 0 AND (before = 0 OR side = 0
          OR abs((x - before_x) * (centre_y - before_y) - (y - before_y) * (centre_x - before_x))
            <= abs(x - before_x) * half_height + abs(y - before_y) * half_width) THEN
          first := i - 1;
          EXIT;
        END IF;
        before_x := x;
        before_y := y;
        before := side;
      END LOOP;

      ring_top := top;
      fixed := top + 1;
      FOR step IN 0 .. ring_end - ring_start LOOP
        at := coalesce(first, ring_start) + step;
        IF at > ring_end THEN
          at := at - ring_end + ring_start;
        END IF;
        x := all_xs[at];
        y := all_ys[at];
        side := CASE WHEN x < w THEN 1 WHEN x > e THEN 2 ELSE 0 END | CASE WHEN y < s THEN 4 WHEN y > n THEN 8 ELSE 0 END;
        IF step > 0 AND before & side = 0 THEN
          -- Positive where the centre of the box is left of the edge; farther from it than any corner, the edge does not reach the box.
          turn := (x - before_x) * (centre_y - before_y) - (y - before_y) * (centre_x - before_x);
          IF before = 0 OR side = 0 OR abs(turn) <= abs(x - before_x) * half_height + abs(y - before_y) * half_width THEN
            fixed := top + 1;
          ELSE
            -- The edge passes one corner of the box, and may go around it.
            corner := CASE WHEN (turn > 0) = (y > before_y) THEN 2 ELSE 1 END | CASE WHEN (turn > 0) = (x > before_x) THEN 4 ELSE 8 END;
            WHILE top > fixed AND sides[top - 1] & sides[top] & corner <> 0 LOOP
              top := top - 1;
            END LOOP;
            top := top + 1;
            xs[top] := CASE WHEN corner & 1 <> 0 THEN w - margin ELSE e + margin END;
            ys[top] := CASE WHEN corner & 4 <> 0 THEN s - margin ELSE n + margin END;
            sides[top] := corner;
          END IF;
        END IF;
        -- The middle one of three positions on one side of the box is redundant.
        WHILE top > fixed AND sides[top - 1] & sides[top] & side <> 0 LOOP
          top := top - 1;
        END LOOP;
        top := top + 1;
        xs[top] := x;
        ys[top] := y;
        sides[top] := side;
        before_x := x;
        before_y := y;
        before := side;
      END LOOP;
      IF top - ring_top < 4 THEN
        top := ring_top;
        is_shell_out := NOT part.holes[ring];
      ELSE
        ends := ends || top;
        holes := holes || part.holes[ring];
      END IF;
    END IF;
    ring_start := ring_end + 1;
  END LOOP;
  RETURN CASE WHEN top > 0 THEN ROW(west, south, east, north, xs[:top], ys[:top], ends, holes)::area_part END;
END $$;

-- Returns a part as a geometry. It may be invalid, which ST_Covers of a point tolerates.
CREATE FUNCTION area_part_shape(part area_part) RETURNS geometry LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ST_SetSRID(ST_Multi(ST_Collect(p.polygon)), 4326)
  FROM (
    SELECT ST_MakePolygon((array_agg(r.ring ORDER BY r.n))[1], (array_agg(r.ring ORDER BY r.n))[2:]) AS polygon
    FROM (
      SELECT e.n, count(*) FILTER (WHERE NOT e.is_hole) OVER (ORDER BY e.n) AS polygon,
        (SELECT ST_MakeLine(ARRAY(SELECT ST_MakePoint(q.x, q.y) FROM unnest(part.xs[e.first:e.last], part.ys[e.first:e.last]) q (x, y)))) AS ring
      FROM (
        SELECT k.n, coalesce(lag(k.last) OVER (ORDER BY k.n), 0) + 1 AS first, k.last, k.is_hole
        FROM unnest(part.ends, part.holes) WITH ORDINALITY k (last, is_hole, n)) e) r
    GROUP BY r.polygon) p
$$;

-- Returns the pieces of an area. A box includes its west and south edges only, so every point is in exactly one box. The largest parts are
-- halved until none has more than 48 positions or a limit of work is reached: with thousands of long parallel edges, more pieces would
-- cost more space than they save time.
CREATE FUNCTION divide_area(
  area geometry, OUT west double precision, OUT south double precision, OUT east double precision, OUT north double precision, OUT shape geometry
) RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  positions_max constant integer := 48;
  largest integer := ST_NPoints(area);
  work bigint := 20 * largest::bigint + 10000;
  parts area_part[];
  part area_part;
  half area_part;
  next integer;
  middle_x double precision;
  middle_y double precision;
  cut_at_x integer;
  cut_at_y integer;
BEGIN
  WITH points AS MATERIALIZED (
    SELECT row_number() OVER () AS n, d.path, ST_X(d.geom) AS x, ST_Y(d.geom) AS y FROM ST_DumpPoints(ST_Multi(area)) d),
  rings AS (SELECT max(p.n) AS last, p.path[2] > 1 AS is_hole FROM points p GROUP BY p.path[1], p.path[2])
  SELECT ARRAY[ROW(min(p.x), min(p.y), max(p.x) + 1e-6, max(p.y) + 1e-6, array_agg(p.x ORDER BY p.n), array_agg(p.y ORDER BY p.n),
    (SELECT array_agg(r.last::integer ORDER BY r.last) FROM rings r), (SELECT array_agg(r.is_hole ORDER BY r.last) FROM rings r))::area_part]
  INTO parts FROM points p;

  WHILE largest > positions_max AND work > 0 LOOP
    largest := greatest(largest / 2, positions_max);
    next := 1;
    WHILE next <= cardinality(parts) LOOP
      part := parts[next];
      -- Boxes of ten centimetres are not divided.
      IF cardinality(part.xs) > largest AND work > 0 AND greatest(part.east - part.west, part.north - part.south) > 1e-6 THEN
        work := work - cardinality(part.xs);
        middle_x := (part.west + part.east) / 2;
        middle_y := (part.south + part.north) / 2;
        SELECT
          count(*) FILTER (WHERE (e.x < middle_x) <> (e.from_x < middle_x)
            AND e.from_y + (middle_x - e.from_x) * (e.y - e.from_y) / (e.x - e.from_x) BETWEEN part.south AND part.north),
          count(*) FILTER (WHERE (e.y < middle_y) <> (e.from_y < middle_y)
            AND e.from_x + (middle_y - e.from_y) * (e.x - e.from_x) / (e.y - e.from_y) BETWEEN part.west AND part.east)
        INTO cut_at_x, cut_at_y
        FROM (SELECT q.x, q.y, lag(q.x) OVER () AS from_x, lag(q.y) OVER () AS from_y FROM unnest(part.xs, part.ys) q (x, y)) e;
        IF cut_at_x < cut_at_y OR (cut_at_x = cut_at_y AND part.east - part.west > part.north - part.south) THEN
          parts[next] := clip_area_part(part, part.west, part.south, middle_x, part.north);
          half := clip_area_part(part, middle_x, part.south, part.east, part.north);
        ELSE
          parts[next] := clip_area_part(part, part.west, part.south, part.east, middle_y);
          half := clip_area_part(part, part.west, middle_y, part.east, part.north);
        END IF;
        parts := parts || half;
      ELSE
        next := next + 1;
      END IF;
    END LOOP;
  END LOOP;

  FOREACH part IN ARRAY parts LOOP
    CONTINUE WHEN part.xs IS NULL;
    west := part.west;
    south := part.south;
    east := part.east;
    north := part.north;
    shape := area_part_shape(part);
    RETURN NEXT;
  END LOOP;
END $$;
