-- A new log keeps the changes of the one before, because `updated_after` of Open311 asks by time and learns of no reset. Their positions become
-- negative, in their order, and no cursor reads them.
CREATE OR REPLACE FUNCTION begin_change_log() RETURNS void LANGUAGE sql AS $$
  UPDATE past_issue_changes SET xid = xid - 1000000000000000 WHERE xid >= 0;
  UPDATE issue_changes SET xid = pg_current_xact_id()::text::bigint;
  SELECT renew_table_version('change log');
$$;

CREATE OR REPLACE FUNCTION clear_issue_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- DELETE, because one TRUNCATE may name all three tables.
  DELETE FROM issue_cell_changes;
  DELETE FROM issue_cells;
  DELETE FROM past_issue_changes;
  PERFORM begin_cell_generation();
  PERFORM begin_change_log();
  RETURN NULL;
END $$;
