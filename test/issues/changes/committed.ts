import { setTimeout as pause } from 'node:timers/promises'

import { type Database, sql } from '../../../src/database/database.ts'
import { queryRows } from '../../helpers/query-rows.ts'

/** Waits until all transactions have ended that run now, those of other test databases on the same server too: they hold the log of changes back. */
export async function waitForTransactions(db: Database): Promise<void> {
  const [now] = await queryRows<{ xmax: number }>(db, sql`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax`)
  for (;;) {
    const [current] = await queryRows<{ xmin: number }>(
      db,
      sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin`,
    )
    if ((current?.xmin ?? 0) >= (now?.xmax ?? 0)) return
    await pause(20)
  }
}
