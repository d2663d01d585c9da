import { type Database, sql } from '../../src/database/database.ts'
import { queryRows } from './query-rows.ts'

/** Adds functions in a schema of their own. PostgreSQL keeps their plans for a session, but plans a DO block each time, which is slower. */
export async function addTestFunctions(database: Database): Promise<void> {
  const tables = await queryRows<{ name: string }>(
    database,
    sql`
    SELECT format('%I', t.tablename) AS name FROM pg_tables t
    WHERE t.schemaname = 'public' AND t.tablename NOT IN ('_prisma_migrations', 'spatial_ref_sys')
    ORDER BY t.tablename`,
  )
  const names = tables.map(({ name }) => name)
  await database.executeScript(`
    CREATE SCHEMA test_helpers;
    -- DELETE is faster here than TRUNCATE, which makes new files for each table and invalidates all plans.
    CREATE FUNCTION test_helpers.delete_all_rows() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      filled text;
    BEGIN
      -- Waits for open writing transactions.
      LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE;
      -- Disables triggers and foreign keys: all rows are deleted.
      SET LOCAL session_replication_role = replica;
      FOR filled IN SELECT t.name FROM unnest(ARRAY['${names.join("', '")}']) AS t (name) WHERE pg_relation_size(t.name) > 0 LOOP
        IF pg_relation_size(filled) > 500000 THEN
          EXECUTE 'TRUNCATE ' || filled || ' CASCADE';
        ELSE
          EXECUTE 'DELETE FROM ' || filled;
        END IF;
      END LOOP;
      PERFORM setval(format('%I', s.sequencename)::regclass, s.start_value, false)
      FROM pg_sequences s WHERE s.schemaname = 'public' AND s.last_value IS NOT NULL;
      PERFORM renew_table_version('places');
      -- Change counts restart, so apps must not answer from their caches.
      PERFORM begin_cell_generation();
    END $$`)
}
