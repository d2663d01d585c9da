import { setTimeout as pause } from 'node:timers/promises'

import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { endLeasesBefore, endPauses } from './end-leases.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface Unsettled {
  readonly deliveries: number
  /** Mails that are neither sent nor failed. */
  readonly mails: number
  /** Matches that wait for a digest. */
  readonly matches: number
  /** Waiting and active jobs, except frequent scheduled ones. */
  readonly jobs: number
}

export interface SettleOptions {
  readonly db: PostgresDatabase
  readonly countJobs: () => Promise<number>
  /** Time after which all processes were started. */
  readonly since: Date
  readonly max_ms: number
  /** If true, the run waits for leases and pauses instead of ending them. */
  readonly waitsForLeases: boolean
  readonly say: (line: string) => void
}

const POLL_MS = 500
const END_LEASES_MS = 6_000
const REPORT_MS = 10_000

/** Waits until all deliveries, mails and jobs are done. Returns the numbers that are left at the time limit, all zero otherwise. */
export async function settle({ db, countJobs, since, max_ms, waitsForLeases, say }: SettleOptions): Promise<Unsettled> {
  const began = Date.now()
  let hurried = 0
  let said = began
  for (;;) {
    const [left] = await queryRows<Pick<Unsettled, 'deliveries' | 'mails' | 'matches'>>(
      db,
      sql`
      SELECT (SELECT count(*)::integer FROM outbox_deliveries e WHERE e.delivered_at IS NULL) AS deliveries,
        (SELECT count(*)::integer FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL) AS mails,
        (SELECT count(*)::integer FROM watch_matches m WHERE m.digest_id IS NULL) AS matches`,
    )
    const unsettled = { ...(left ?? { deliveries: 0, mails: 0, matches: 0 }), jobs: await countJobs() }
    const now = Date.now()
    if (Object.values(unsettled).every((count) => count === 0) || now - began > max_ms) return unsettled
    if (!waitsForLeases && now - hurried > END_LEASES_MS) {
      hurried = now
      await endLeasesBefore(db, since)
      await endPauses(db)
    }
    if (now - said > REPORT_MS) {
      said = now
      say(
        `  settling: ${unsettled.deliveries} deliveries, ${unsettled.mails} mails, ${unsettled.matches} matches, ${unsettled.jobs} jobs left`,
      )
    }
    await pause(POLL_MS)
  }
}
