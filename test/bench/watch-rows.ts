/** Number of events, at the centers of the first cities. */
export const EVENTS = 5
/** Number of watch areas that contain each event, a quarter of each kind. */
export const MATCHES = 20
const CITIES = 400
const PEOPLE = 5_000

/** SQL of a polygon around a point: a circle on the map, or a star if `bay` is not 0. */
const ring = (lng: string, lat: string, reach: string, corners: number, bay: number) => `(
  SELECT ST_Multi(ST_MakePolygon(ST_AddPoint(l.line, ST_StartPoint(l.line))))
  FROM (SELECT ST_SetSRID(ST_MakeLine(array_agg(ST_MakePoint(
      ${lng} + cos(k * 2 * pi() / ${corners}) * ${reach} * (1 - ${bay} * (k % 2)),
      ${lat} + sin(k * 2 * pi() / ${corners}) * ${reach} * (1 - ${bay} * (k % 2))) ORDER BY k)), 4326) AS line
    FROM generate_series(0, ${corners - 1}) k) l)`

/** Inserts a watch area for each row `r (lng, lat, reach, kind, place_id)`; `reach` is in degrees. */
const insertAreas = (rows: string) => `
INSERT INTO watch_areas (user_id, watcher_token, frequency, about, kind, place_id, centre_lng, centre_lat, radius_m, west, south, east, north, area)
SELECT 1 + (random() * (${PEOPLE} - 1))::integer, gen_random_uuid()::text, (ARRAY['instant', 'daily', 'weekly', 'never'])[1 + n % 4]::watch_frequency, 'all', r.kind::watch_area_kind,
  CASE r.kind WHEN 'place' THEN r.place_id END,
  CASE r.kind WHEN 'circle' THEN r.lng END, CASE r.kind WHEN 'circle' THEN r.lat END, CASE r.kind WHEN 'circle' THEN r.reach * 60000 END,
  CASE r.kind WHEN 'box' THEN r.lng - r.reach END, CASE r.kind WHEN 'box' THEN r.lat - r.reach END,
  CASE r.kind WHEN 'box' THEN r.lng + r.reach END, CASE r.kind WHEN 'box' THEN r.lat + r.reach END,
  CASE r.kind
    WHEN 'polygon' THEN ${ring('r.lng', 'r.lat', 'r.reach', 24, 0.4)}
    WHEN 'circle' THEN ${ring('r.lng', 'r.lat', 'r.reach / cos(radians(r.lat))', 64, 0)}
    WHEN 'box' THEN ST_Multi(ST_MakeEnvelope(r.lng - r.reach, r.lat - r.reach, r.lng + r.reach, r.lat + r.reach, 4326)) END
FROM (${rows}) r;`

const kind = (n: string) => `(ARRAY['polygon', 'circle', 'box', 'place'])[1 + ${n} % 4]`

export const insertCitiesAndEvents = `
SELECT setseed(0.42);
CREATE TABLE bench_cities AS
SELECT n AS id, -165 + random() * 330 AS lng, -50 + random() * 110 AS lat FROM generate_series(1, ${CITIES}) n;
INSERT INTO places (id, name, url_name, place_type, boundary, center_lng, center_lat, area_m2)
SELECT c.id, 'City ' || c.id, 'city-' || c.id, 'City', ${ring('c.lng', 'c.lat', '0.12', 64, 0.1)}, c.lng, c.lat, 1 FROM bench_cities c;
INSERT INTO users (id, name) SELECT n, 'Watcher ' || n FROM generate_series(1, ${PEOPLE} + 1) n;
INSERT INTO email_addresses (user_id, email, confirmed_at) SELECT u.id, 'watcher-' || u.id || '@example.org', now() FROM users u;
INSERT INTO issues (id, summary, lng, lat, reporter_id)
SELECT c.id, 'Pothole', c.lng, c.lat, ${PEOPLE} + 1 FROM bench_cities c WHERE c.id <= ${EVENTS};
INSERT INTO events (type, subject_type, subject_id, actor_id)
SELECT 'issue.reported', 'issue', i.id, ${PEOPLE} + 1 FROM issues i ORDER BY i.id;
${insertAreas(`
  SELECT n, c.lng, c.lat, 0.01 + 0.005 * n AS reach, ${kind('n')} AS kind, c.id AS place_id
  FROM bench_cities c CROSS JOIN generate_series(0, ${MATCHES - 1}) n WHERE c.id <= ${EVENTS}`)}
`

/** Inserts `count` areas in and around all cities. The caller deletes those that contain an event. */
export const insertOtherAreas = (count: number) => `
SELECT setseed(0.24);
${insertAreas(`
  SELECT n, c.lng + (random() - 0.5) * 0.4 AS lng, c.lat + (random() - 0.5) * 0.4 AS lat, 0.002 + random() ^ 3 * 0.1 AS reach,
    ${kind('n')} AS kind, greatest(c.id, ${EVENTS} + 1) AS place_id
  FROM generate_series(1, ${count}) n JOIN bench_cities c ON c.id = 1 + n % ${CITIES}`)}
`

/** Factor for additional rows: the caller deletes matching ones and reduces the rest to the wanted number. */
export const EXCESS_FACTOR = 1.02
