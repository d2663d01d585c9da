import type { Database } from '../../src/database/database.ts'

export const LAST_CHANGE = 'Fri, 01 May 2026 10:00:00 GMT'
export const ifModifiedSinceLastChange: Record<string, string> = { 'if-modified-since': LAST_CHANGE }

/** Sets the last change of issues to the first of May, and of users, places and forms to a month before. */
export const backdateChanges = (db: Database) =>
  // Triggers would set the current time again.
  db.executeScript(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    UPDATE issues SET any_change_at = '2026-05-01T10:00:00.900Z',
      public_change_at = CASE WHEN moderation_state = 'passed' THEN timestamptz '2026-05-01T10:00:00.900Z' END;
    UPDATE users SET summary_changed_at = '2026-04-01T10:00:00Z', profile_changed_at = '2026-04-01T10:00:00Z', any_change_at = '2026-04-01T10:00:00Z';
    UPDATE places SET changed_at = '2026-04-01T10:00:00Z';
    UPDATE request_types SET changed_at = '2026-04-01T10:00:00Z';
    UPDATE organizations SET changed_at = '2026-04-01T10:00:00Z';
    DELETE FROM removal_log;
    COMMIT;`)
