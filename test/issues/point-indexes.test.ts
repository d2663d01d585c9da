import { describe, expect, test } from 'vitest'

import { type Database, type Queryable, sql } from '../../src/database/database.ts'
import { distanceTo, hasDistance } from '../../src/geo/point.ts'
import { useApp } from '../helpers/use-app.ts'

/*
 * PostgreSQL forgets to forget which entries of a GiST index it found dead when a scan is begun again within one statement: where the only page
 * of the index has split in between, as many entries of another page are marked, whatever they are of (docs/adr/0035).
 */
describe('the indexes of points', () => {
  const it = useApp()

  test('lose no issue while one statement counts again and again and the index grows', async () => {
    const { db } = it
    await insert(db, 1, 30, sql`0`)
    await insert(db, 31, 60, sql`90`)
    await db.query(sql`DELETE FROM issues WHERE id <= 30`)
    await db.transaction(async (tx) => {
      await tx.query(sql`
        CREATE FUNCTION pg_temp.others_report(n integer) RETURNS integer LANGUAGE plpgsql AS $$
        BEGIN
          IF n = 2 THEN
            INSERT INTO issues (id, summary, lng, lat) SELECT 1000 + i, 'Later', i % 2 * 90 + i / 1000.0, i / 1000.0 FROM generate_series(1, 1000) i;
          END IF;
          RETURN n;
        END $$`)
      await withIndexes(tx)
      await tx.query(sql`
        SELECT pg_temp.others_report(n), (SELECT count(i.summary) FROM issues i WHERE i.moderation_state = 'passed' AND i.id > -n)
        FROM generate_series(1, 2) n`)
    })
    expect(await alongTheIndex(db)).toBe(1030)
  })

  test('are never read but for where something is, so that no such statement reads them', async () => {
    const plan = await it.db.transaction(async (tx) => {
      await dropOthers(tx)
      await withIndexes(tx)
      return explain(tx, sql`SELECT count(i.summary) FROM issues i WHERE i.moderation_state = 'passed' AND i.status <> 'Archived'`)
    })
    expect(plan).toContain('Seq Scan on issues')
  })

  test('serve boxes, circles and distances', async () => {
    const box = sql`i.point && ST_MakeEnvelope(1, 1, 2, 2, 4326)`
    const circle = sql`ST_DWithin(i.point::geography, ST_SetSRID(ST_MakePoint(1, 1), 4326)::geography, 100, false)`
    await insert(it.db, 1, 3000, sql`0`)
    const plans = await it.db.transaction(async (tx) => {
      await tx.query(sql`ANALYZE issues`)
      await withIndexes(tx)
      return {
        box: await explain(tx, sql`SELECT i.summary FROM issues i WHERE i.moderation_state = 'passed' AND ${box}`),
        twoBoxes: await explain(tx, sql`SELECT i.summary FROM issues i WHERE i.moderation_state = 'passed' AND (${box} OR ${box})`),
        circle: await explain(tx, sql`SELECT i.summary FROM issues i WHERE i.moderation_state = 'passed' AND ${circle}`),
        distances: await explain(tx, nearest),
      }
    })
    expect(plans).toEqual({
      box: expect.stringMatching(/issues_(current_)?point_idx/) as string,
      twoBoxes: expect.stringMatching(/issues_(current_)?point_idx/) as string,
      circle: expect.stringContaining('issues_geography_idx') as string,
      distances: expect.stringContaining('Index Scan using issues_geography_idx') as string,
    })
  })
})

const nearest = sql`
  SELECT i.summary FROM issues i WHERE i.moderation_state = 'passed' AND ${hasDistance(sql`i.point`)}
  ORDER BY ${distanceTo({ lng: 1, lat: 1 }, sql`i.point`)} LIMIT 10000`

const insert = (db: Queryable, first: number, last: number, lng: ReturnType<typeof sql>) =>
  db.query(sql`
    INSERT INTO issues (id, summary, lng, lat)
    SELECT i, 'Early', ${lng} + i / 1000.0, i / 1000.0 FROM generate_series(${first}::integer, ${last}::integer) i`)

/** In a test the table is small enough to be read as a whole. */
const withIndexes = (tx: Queryable) =>
  tx.query(sql`SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_sort']) name`)

const dropOthers = (tx: Queryable) =>
  tx.query(
    sql`DROP INDEX issues_cell_idx, issues_current_cell_idx, issues_newest_idx, issues_created_at_idx, issues_updated_at_idx, issues_rating_idx, issues_search_idx`,
  )

const explain = async (tx: Queryable, statement: typeof nearest) => {
  const rows = await tx.query<Record<'QUERY PLAN', string>>(sql`EXPLAIN ${statement}`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const alongTheIndex = (db: Database) =>
  db.transaction(async (tx) => {
    await withIndexes(tx)
    return (await tx.query(nearest)).length
  })
