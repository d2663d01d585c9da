-- The transactions of a new log may have smaller numbers than those of the one before. A webhook that waited for a later number learned of the new log
-- only after an hour.
CREATE OR REPLACE FUNCTION begin_change_log() RETURNS void LANGUAGE sql AS $$
  UPDATE past_issue_changes SET xid = xid - 1000000000000000 WHERE xid >= 0;
  UPDATE issue_changes SET xid = pg_current_xact_id()::text::bigint;
  UPDATE webhooks SET position_xid = 0 WHERE position_xid > 0;
  SELECT renew_table_version('change log');
$$;
