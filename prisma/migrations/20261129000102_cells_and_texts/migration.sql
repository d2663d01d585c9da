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

-- Returns the cells of an area: inner cells, as coarse as possible; edge cells, about 48 across the area (34 to 68); and at most 64 cells around it.
-- Cells are enlarged by a billionth of a degree, far more than rounding, so inner cells are certainly inside and omitted cells are certainly outside.
CREATE FUNCTION cover_area(area geometry, OUT inner_cells bigint[], OUT boundary_cells bigint[], OUT bounding_cells bigint[])
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  breadth constant double precision := greatest((ST_XMax(area) - ST_XMin(area) + ST_YMax(area) - ST_YMin(area)) / 2, 1e-9);
  margin constant double precision := 1e-9;
  finest constant integer := least(greatest(round(ln(360 / breadth * 48) / ln(2)), 4), 16);
BEGIN
  WITH RECURSIVE cells (cell, level, x, y, size, is_inner) AS (
    SELECT 1::bigint, 0, 0, 0, 360::double precision, false
    UNION ALL
    SELECT child.cell, child.level, child.x, child.y, child.size, ST_Covers(area, child.square)
    FROM (
      SELECT q.*, ST_MakeEnvelope(-180 + q.x * q.size - margin, -90 + q.y * q.size - margin,
        -180 + (q.x + 1) * q.size + margin, -90 + (q.y + 1) * q.size + margin, 4326) AS square
      FROM (
        SELECT c.cell * 4 + n AS cell, c.level + 1 AS level, c.x * 2 + (n & 1) AS x, c.y * 2 + (n >> 1) AS y, c.size / 2 AS size
        FROM cells c CROSS JOIN generate_series(0, 3) n WHERE NOT c.is_inner AND c.level < finest) q) child
    WHERE child.square && area AND ST_Intersects(area, child.square))
  SELECT coalesce(array_agg(c.cell ORDER BY c.cell) FILTER (WHERE c.is_inner), '{}'),
    coalesce(array_agg(c.cell ORDER BY c.cell) FILTER (WHERE NOT c.is_inner AND c.level = finest), '{}')
  INTO inner_cells, boundary_cells
  FROM cells c;
  FOR level IN REVERSE 16 .. 0 LOOP
    SELECT array_agg(DISTINCT c.cell >> (2 * greatest(cell_level(c.cell) - level, 0))) INTO bounding_cells FROM unnest(inner_cells || boundary_cells) c (cell);
    EXIT WHEN coalesce(cardinality(bounding_cells), 0) <= 64;
  END LOOP;
  bounding_cells := coalesce(bounding_cells, '{}');
END $$;

-- A text is indexed by its words as written (for prefixes: "poth" finds "pothole") and by their stems ("potholes" finds "pothole"). Both
-- drop accents. There are no stop words: every word of a search counts.
CREATE TEXT SEARCH DICTIONARY fixpoint_stem (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION fixpoint_words (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION fixpoint_words ALTER MAPPING FOR word, asciiword WITH unaccent, simple;
CREATE TEXT SEARCH CONFIGURATION fixpoint_stems (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION fixpoint_stems ALTER MAPPING FOR word, asciiword WITH unaccent, fixpoint_stem;

-- Punctuation becomes spaces before the text is divided into words: PostgreSQL's parser would read "Road/Sidewalk" as the path of a file, and
-- "sidewalk" would not find it. The same characters divide the words of a search (src/search). translate() would compare every letter with all
-- of them.
CREATE FUNCTION search_text(summary text, description text, address text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(left(summary || ' ' || coalesce(description, '') || ' ' || coalesce(address, ''), 100000),
    '[][!"#$%&''()*+,./:;<=>?@\\^_`{|}~-]', ' ', 'g');

-- Returns a word, and the word without each one of its letters. Two words within one edit (a letter inserted, deleted or replaced, or two
-- neighbours swapped) always have one of these in common, so an index of them finds all such words.
CREATE FUNCTION spellings(word text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN word || ARRAY(SELECT overlay(word PLACING '' FROM n FOR 1) FROM generate_series(1, char_length(word)) n);

-- Returns a text without case, compatibility forms, blanks and invisible characters, to find repeated texts. The characters are those of Unicode
-- (White_Space, Default_Ignorable_Code_Point, the empty Braille pattern), listed by number because \s depends on the locale of the database.
CREATE FUNCTION comparable_text(written text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(lower(normalize(written, NFKC)),
    '[\u0009-\u000D\u0020\u0085\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F'
    '\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g');

-- Every word of the public issues with the number of issues that contain it, for typo tolerance (src/search/spelling.ts): a few thousand words are
-- compared faster than a million texts. The jobs `add-search-words` and `count-search-words` maintain it, so that no writer counts words.
CREATE TABLE search_words (
  word    text PRIMARY KEY,
  reports integer NOT NULL
);
CREATE INDEX search_words_word_idx ON search_words (word text_pattern_ops);
CREATE INDEX search_words_trigram_idx ON search_words USING gin (word gin_trgm_ops);
CREATE INDEX search_words_spellings_idx ON search_words USING gin (spellings(word));
