import { type Database, sql } from '../../src/database/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface FillOptions {
  /** Number of issues in about 400 cities; the first cities have the most. */
  readonly issues: number
  /** Adds comments, votes and answers to about every third issue. */
  readonly withConversation?: boolean
}

const CITIES = 400
const USERS = 20_000

/** Fills an empty throw-away database, always with the same issues. Triggers are off: this writes their rows in one statement. */
export async function fill(database: Database, { issues, withConversation = true }: FillOptions): Promise<void> {
  await database.executeScript(cities)
  await database.executeScript(people)
  await database.executeScript(issuesOf(issues))
  await database.executeScript(history)
  if (withConversation) await database.executeScript(conversationOf(issues))
  await database.executeScript('VACUUM ANALYZE')
}

/** Returns the number of issues from an earlier run, whose database is reused. */
export async function countFilled(database: Database): Promise<number> {
  const [row] = await queryRows<{ count: number }>(database, sql`SELECT count(*)::integer AS count FROM issues i`)
  return row?.count ?? 0
}

export async function isForeignDatabase(database: Database): Promise<boolean> {
  const [state] = await queryRows<{ isBare: boolean; isFilled: boolean }>(
    database,
    sql`
    SELECT to_regclass('issues') IS NULL AS "isBare", to_regclass('bench_cities') IS NOT NULL AS "isFilled"`,
  )
  if (!state || state.isBare || state.isFilled) return false
  const [row] = await queryRows<{ holds: boolean }>(
    database,
    sql`
    SELECT EXISTS (SELECT FROM issues i) OR EXISTS (SELECT FROM places p) OR EXISTS (SELECT FROM users u) AS holds`,
  )
  return row?.holds ?? true
}

/** Cities are polygons of 64 corners, about 25 km wide, at random places between the inhabited latitudes. */
const cities = `
SELECT setseed(0.42);
CREATE TABLE bench_cities AS
SELECT n AS id, -165 + random() * 330 AS lng, -50 + random() * 110 AS lat, 1.0 / (n + 4) AS weight
FROM generate_series(1, ${CITIES}) n;
INSERT INTO places (name, url_name, place_type, county, state, boundary, center_lng, center_lat, area_m2)
SELECT 'City ' || c.id, 'city-' || c.id, 'City', 'County', 'ST', ring.polygon, c.lng, c.lat, ST_Area(ring.polygon::geography, false)
FROM bench_cities c
CROSS JOIN LATERAL (
  SELECT ST_Multi(ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line)))) AS polygon
  FROM (SELECT ST_SetSRID(ST_MakeLine(array_agg(ST_MakePoint(
      c.lng + cos(k * pi() / 32) * (0.10 + 0.02 * sin(k * pi() / 4)), c.lat + sin(k * pi() / 32) * (0.10 + 0.02 * sin(k * pi() / 4))) ORDER BY k)), 4326) AS line
    FROM generate_series(0, 63) k) points) ring
ORDER BY c.id;
`

const people = `
INSERT INTO users (name, civic_points, created_at)
SELECT 'Resident ' || n, (n * 37) % 3000, timestamptz '2020-01-01' + n * interval '1 minute' FROM generate_series(1, ${USERS}) n;
INSERT INTO request_types (title, category)
SELECT t.title, t.category FROM (VALUES ('Pothole', 'pothole'), ('Graffiti', 'graffiti'), ('Street light', 'street-light'),
  ('Dumping', 'dumping'), ('Trash', 'trash'), ('Sidewalk', 'sidewalk'), ('Tree', 'tree'), ('Sign', 'sign')) AS t (title, category);
`

/** The largest city has about 4 % of the issues; points are normally distributed around its center, timestamps over five years. */
const issuesOf = (count: number) => `
SELECT setseed(0.1234);
ALTER TABLE issues DISABLE TRIGGER USER;
-- Indexes are created after the rows, because one sort is faster than an insert for each row.
CREATE TEMPORARY TABLE index_definitions AS
SELECT x.indexname, x.indexdef FROM pg_indexes x WHERE x.schemaname = 'public' AND x.tablename = 'issues' AND x.indexname <> 'issues_pkey';
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT d.indexname FROM index_definitions d LOOP EXECUTE format('DROP INDEX %I', name); END LOOP;
END $$;
CREATE TEMPORARY TABLE upto AS
SELECT c.id, c.lng, c.lat, sum(c.weight) OVER (ORDER BY c.id) / sum(c.weight) OVER () AS share FROM bench_cities c;
CREATE TEMPORARY TABLE slots AS
SELECT slot, (SELECT u.id FROM upto u WHERE u.share >= slot / 10000.0 ORDER BY u.share LIMIT 1) AS city FROM generate_series(0, 9999) slot;
INSERT INTO issues (id, status, summary, description, category, base_rating, lng, lat, address, request_type_id, reporter_id, anonymous,
  created_at, updated_at, acknowledged_at, closed_at, changed_at)
SELECT r.n,
  CASE WHEN r.state < 0.40 THEN 'Open'::issue_status WHEN r.state < 0.55 THEN 'Acknowledged' WHEN r.state < 0.60 THEN 'Closed' ELSE 'Archived' END,
  (ARRAY['Pothole', 'Graffiti', 'Street light out', 'Illegal dumping', 'Overflowing trash', 'Broken sidewalk', 'Fallen tree', 'Missing sign'])[r.kind]
    || ' near ' || (ARRAY['the school', 'the park', 'the station', 'the bridge', 'the market', 'the library'])[1 + r.n % 6],
  'Reported by a neighbour, number ' || r.n || '. Please have a look at it before someone is hurt.',
  (ARRAY['pothole', 'graffiti', 'street-light', 'dumping', 'trash', 'sidewalk', 'tree', 'sign'])[r.kind],
  1 + (r.n % 7), r.lng, r.lat, (r.n % 9000) || ' ' || (ARRAY['Oak', 'Main', 'Second', 'Lake', 'Hill', 'Park'])[1 + r.n % 6] || ' Street',
  r.kind, 1 + (r.n % 100000 * 7919) % ${USERS}, r.n % 10 = 0,
  r.created, r.created + r.age * interval '20 days',
  CASE WHEN r.state BETWEEN 0.40 AND 0.55 THEN r.created + interval '1 day' END,
  CASE WHEN r.state >= 0.55 THEN r.created + r.age * interval '20 days' END,
  r.created + r.age * interval '20 days'
FROM (
  SELECT n, 1 + floor(random() * 8)::integer AS kind, random() AS state, random() AS age,
    timestamptz '2021-01-01' + random() * interval '1800 days' AS created,
    least(greatest(c.lng + 0.035 * sqrt(-2 * ln(1 - p.a)) * cos(2 * pi() * p.b), -180), 180) AS lng,
    least(greatest(c.lat + 0.035 * sqrt(-2 * ln(1 - p.a)) * sin(2 * pi() * p.b), -90), 90) AS lat
  FROM (SELECT n, floor(random() * 10000)::integer AS slot, random() AS a, random() AS b FROM generate_series(1, ${count}) n) p
  JOIN slots s ON s.slot = p.slot
  JOIN bench_cities c ON c.id = s.city) r;
DO $$ DECLARE definition text; BEGIN
  FOR definition IN SELECT d.indexdef FROM index_definitions d LOOP EXECUTE definition; END LOOP;
END $$;
ALTER TABLE issues ENABLE TRIGGER USER;
INSERT INTO issue_cells SELECT * FROM expected_issue_cells();
SELECT setval(pg_get_serial_sequence('issues', 'id'), ${count});
INSERT INTO search_words (word, reports)
SELECT w.word, count(*) * greatest(${count} / 20000, 1) FROM (SELECT i.search FROM issues i ORDER BY i.id LIMIT 20000) i
CROSS JOIN LATERAL unnest(tsvector_to_array(i.search)) AS w (word)
WHERE length(w.word) >= 3 AND w.word !~ '[0-9]'
GROUP BY w.word;
`

/** The rows are in the order of time, as in a real installation, so that those of one issue are apart. */
const history = `
INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
SELECT h.id, h.from_status, h.to_status, h.at FROM (
  SELECT i.id, NULL::issue_status AS from_status, 'Open'::issue_status AS to_status, i.created_at AS at FROM issues i
  UNION ALL SELECT i.id, 'Open', 'Acknowledged', i.acknowledged_at FROM issues i WHERE i.acknowledged_at IS NOT NULL
  UNION ALL SELECT i.id, 'Open', 'Closed', i.closed_at FROM issues i WHERE i.closed_at IS NOT NULL
  UNION ALL SELECT i.id, 'Closed', 'Archived', i.closed_at + interval '7 days' FROM issues i WHERE i.status = 'Archived') h
ORDER BY h.at, h.id;
INSERT INTO issue_targets (issue_id, started_at, acknowledge_by, close_by)
SELECT i.id, i.created_at, i.created_at + interval '2 days', i.created_at + interval '14 days' FROM issues i WHERE i.id % 2 = 0;
`

const conversationOf = (count: number) => `
ALTER TABLE comments DISABLE TRIGGER USER;
ALTER TABLE votes DISABLE TRIGGER USER;
ALTER TABLE issue_answers DISABLE TRIGGER USER;
INSERT INTO comments (issue_id, commenter_id, comment, created_at, updated_at)
SELECT n, 1 + (n * 31 + k * 17) % ${USERS}, 'Seen it too, still there on day ' || k || '.', timestamptz '2025-12-15' + k * interval '1 hour',
  timestamptz '2025-12-15' + k * interval '1 hour'
FROM generate_series(1, ${count}, 3) n CROSS JOIN generate_series(1, 2) k;
INSERT INTO votes (issue_id, user_id, created_at)
SELECT n, 1 + (n * 13 + k * 7) % ${USERS}, timestamptz '2025-12-15' FROM generate_series(1, ${count}, 3) n CROSS JOIN generate_series(1, 2) k;
INSERT INTO issue_answers (issue_id, question, answer, value)
SELECT n, 'How large is it?', 'About a metre', '"About a metre"' FROM generate_series(1, ${count}, 5) n;
ALTER TABLE comments ENABLE TRIGGER USER;
ALTER TABLE votes ENABLE TRIGGER USER;
ALTER TABLE issue_answers ENABLE TRIGGER USER;
`
