import type { Database } from '../../src/database/database.ts'

/**
 * Runs statements in one transaction without the triggers. Those of each row would change one issue thousands of times in one
 * transaction, which no writer of the service does.
 */
export const withoutTriggers = (db: Database, statements: string) =>
  db.executeScript(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT;`)
