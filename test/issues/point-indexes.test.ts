import { describe, expect, it } from 'vitest'

import { type Database, type Executable, type Queryable, raw, type Sql, sql } from '../../src/database/database.ts'
import { distanceTo, knnIndexCondition } from '../../src/geo/shapes.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

// PostgreSQL does not reset the list of dead GiST entries if a scan restarts within one statement. If the only page of the index
// splits in between, it marks entries of another page as dead (docs/adr/0003).
describe('GiST indexes of points', () => {
  const app = useApp()

  it('lose no issue while one statement repeats a scan and the index grows', async () => {
    const { db } = app
    await insert(db, 1, 30, sql`0`)
    await insert(db, 31, 60, sql`90`)
    await db.execute(sql`DELETE FROM issues WHERE id <= 30`)
    await db.transaction(async (tx) => {
      await tx.execute(sql`
        CREATE FUNCTION pg_temp.others_report(n integer) RETURNS integer LANGUAGE plpgsql AS $$
        BEGIN
          IF n = 2 THEN
            INSERT INTO issues (id, summary, lng, lat) SELECT 1000 + i, 'Later', i % 2 * 90 + i / 1000.0, i / 1000.0 FROM generate_series(1, 1000) i;
          END IF;
          RETURN n;
        END $$`)
      await withIndexes(tx)
      await tx.execute(sql`
        SELECT pg_temp.others_report(n), (SELECT count(i.summary) FROM issues i WHERE i.moderation_state = 'passed' AND i.id > -n)
        FROM generate_series(1, 2) n`)
    })
    expect(await alongTheIndex(db)).toBe(1030)
  })

  it('are read only by spatial conditions', async () => {
    const plan = await app.db.transaction(async (tx) => {
      await dropOthers(tx)
      await withIndexes(tx)
      return planOf(tx, sql`SELECT count(i.summary) FROM issues i WHERE i.moderation_state = 'passed' AND i.status <> 'Archived'`)
    })
    expect(plan).toContain('Seq Scan on issues')
  })

  it('serve boxes, circles and distances', async () => {
    const box = sql`i.point && ST_MakeEnvelope(1, 1, 2, 2, 4326)`
    const circle = sql`ST_DWithin(i.point::geography, ST_SetSRID(ST_MakePoint(1, 1), 4326)::geography, 100, false)`
    await insert(app.db, 1, 3000, sql`0`)
    const passed = (where: Sql) => sql`SELECT i.id FROM issues i WHERE i.moderation_state = 'passed' AND ${where}`
    await app.db.transaction(async (tx) => {
      await dropOthers(tx)
      await tx.execute(sql`ANALYZE issues`)
      await withIndexes(tx)
      for (const [statement, first, count] of [
        [passed(box), 1000, 1001],
        [passed(sql`(${box} OR ${box})`), 1000, 1001],
        [passed(circle), 1000, 1],
        [nearest, 1, 3000],
      ] as const) {
        expect(await idsOf(tx, statement)).toEqual(Array.from({ length: count }, (_, n) => first + n))
        expect(await planOf(tx, statement)).not.toMatch(/Seq Scan|Sort/)
      }
    })
  })
})

const nearest = sql`
  SELECT i.id FROM issues i WHERE i.moderation_state = 'passed' AND ${knnIndexCondition(sql`i.point`)}
  ORDER BY ${distanceTo({ lng: 1, lat: 1 }, sql`i.point`)} LIMIT 10000`

const insert = (db: Queryable, first: number, last: number, lng: ReturnType<typeof sql>) =>
  queryRows(
    db,
    sql`
    INSERT INTO issues (id, summary, lng, lat)
    SELECT i, 'Early', ${lng} + i / 1000.0, i / 1000.0 FROM generate_series(${first}::integer, ${last}::integer) i`,
  )

/** The planner would otherwise read the small table of a test sequentially. */
const withIndexes = (tx: Queryable) =>
  queryRows(tx, sql`SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_sort']) name`)

/** Only points have GiST indexes. */
const dropOthers = (tx: Executable) =>
  tx.execute(
    raw(`
      DO $$ DECLARE other regclass; BEGIN
        FOR other IN
          SELECT x.indexrelid FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am a ON a.oid = c.relam
          WHERE x.indrelid = 'issues'::regclass AND NOT x.indisunique AND a.amname <> 'gist'
        LOOP
          EXECUTE format('DROP INDEX %s', other);
        END LOOP;
      END $$`),
  )

const idsOf = async (tx: Queryable, statement: Sql) =>
  (await queryRows<{ id: number }>(tx, statement)).map(({ id }) => id).sort((a, b) => a - b)

const planOf = async (tx: Queryable, statement: Sql) => {
  const rows = await queryRows<Record<'QUERY PLAN', string>>(tx, sql`EXPLAIN ${statement}`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const alongTheIndex = (db: Database) =>
  db.transaction(async (tx) => {
    await withIndexes(tx)
    return (await queryRows(tx, nearest)).length
  })
