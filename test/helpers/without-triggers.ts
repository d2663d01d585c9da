import type { Database } from '../../src/database/database.ts'

/** Runs statements in one transaction without triggers, which would update one issue thousands of times. */
export const withoutTriggers = (db: Database, statements: string) =>
  db.executeScript(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT;`)
