import type { Database } from './database.ts'

/** Limit (4 MB) above which only the first and last page of a table are read. */
const READ_WHOLE_MAX_PAGES = 512

/**
 * Looks for damage within a fraction of a second; the engine verifies the checksum of each page that it reads. A file with fewer
 * pages than counted is truncated, because no vacuum shortens tables of the embedded engine. Tables that were never analysed have
 * no count, so the last primary key is read.
 * @throws the engine's error with the SQLSTATE XX001 (data_corrupted) or 58P01 (missing file)
 */
export async function assertUndamaged(database: Database): Promise<void> {
  await database.executeScript(`
    DO $$
    DECLARE
      relation record;
    BEGIN
      SET LOCAL enable_indexonlyscan = off;
      FOR relation IN
        SELECT c.oid::regclass AS name, c.relkind = 'i' AS is_index, pg_relation_size(c.oid) / 8192 AS pages, c.relpages
        FROM pg_class c WHERE c.relkind IN ('r', 't', 'i') AND c.relpersistence <> 't'
      LOOP
        -- Every index has a metapage or a root page, even if its table is empty.
        IF relation.pages < greatest(relation.relpages, relation.is_index::integer) THEN
          RAISE EXCEPTION USING ERRCODE = 'data_corrupted',
            MESSAGE = format('%s is cut off after %s of at least %s pages', relation.name, relation.pages, greatest(relation.relpages, 1));
        ELSIF relation.is_index THEN
          CONTINUE;
        ELSIF relation.pages <= ${READ_WHOLE_MAX_PAGES} THEN
          EXECUTE format('SELECT count(*) FROM %s', relation.name);
        ELSE
          EXECUTE format('SELECT FROM %s t WHERE t.ctid IN (''(0,1)'', ''(%s,1)'')', relation.name, relation.pages - 1);
        END IF;
      END LOOP;
      PERFORM pg_sequence_last_value(c.oid) FROM pg_class c WHERE c.relkind = 'S' AND c.relpersistence <> 't';
      SET LOCAL enable_seqscan = off;
      SET LOCAL enable_bitmapscan = off;
      FOR relation IN
        SELECT i.indrelid::regclass AS name, pg_get_indexdef(i.indexrelid, 1, true) AS key
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisprimary AND c.relpersistence <> 't'
      LOOP
        EXECUTE format('SELECT FROM %s t ORDER BY %s DESC LIMIT 1', relation.name, relation.key);
      END LOOP;
    END $$`)
}
