import type { Database } from '../../src/database/database.ts'

export const LAST_CHANGE = 'Fri, 01 May 2026 10:00:00 GMT'
export const ifModifiedSinceLastChange: Record<string, string> = { 'if-modified-since': LAST_CHANGE }

const ISSUES_AT = "timestamptz '2026-05-01T10:00:00.900Z'"
const OTHERS_AT = "timestamptz '2026-04-01T10:00:00Z'"

/** Sets the last change of issues to the first of May, and of places and forms to a month before; or all to `at`, an expression of SQL. */
export const backdateChanges = (db: Database, at?: string) =>
  // Triggers would set the current time again.
  db.executeScript(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    UPDATE issues SET changed_at = ${at ?? ISSUES_AT};
    UPDATE questions SET changed_at = ${at ?? OTHERS_AT};
    UPDATE places SET changed_at = ${at ?? OTHERS_AT};
    UPDATE request_types SET changed_at = ${at ?? OTHERS_AT};
    UPDATE organizations SET changed_at = ${at ?? OTHERS_AT};
    COMMIT;`)
