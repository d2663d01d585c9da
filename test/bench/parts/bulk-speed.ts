import { runBulk } from '../../../jobs/handlers/batch-jobs.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { findViewer, type Viewer } from '../../../src/http/identity/viewer-queries.ts'
import { previewRun } from '../../../src/staff/bulk/change.ts'
import { createRun, startRun, startUndo } from '../../../src/staff/bulk/run.ts'
import { type BulkChange, BULK_MAX } from '../../../src/staff/bulk/schema.ts'
import { createFactories } from '../../helpers/factories.ts'
import { benchDatabaseName, withBenchDatabase } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'

/* Measures runs of changes of 1,000 issues of one organisation (`runBulk`), from the start to the end of the job. */
const SUFFIX = 'bulk'
const RUN_MAX_S = 5
const CREATED_AT_ONCE = 20

export const bulkDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

export async function measureBulk({ db, databaseUrl, say }: Bench): Promise<readonly Goal[]> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (own) => {
    await migrate(own)
    const create = createFactories(own)
    const organization = await create.organization()
    const request_type = await create.requestType({ organization })
    const clerk = await create.user({ memberOf: [{ organization }] })
    const by = await findViewer(own, clerk.id)
    if (!by) throw new Error('The employee does not exist')
    const ids: number[] = []
    while (ids.length < BULK_MAX)
      ids.push(...(await Promise.all(Array.from({ length: CREATED_AT_ONCE }, () => create.issue({ request_type })))))
    const changes: readonly (readonly [string, BulkChange])[] = [
      ['priority', { priority: 3 }],
      ['assignee', { assignee_id: clerk.id }],
      ['acknowledge', { transition: 'acknowledge', comment: 'We look at it.' }],
      ['close', { transition: 'close', comment: 'Repaired.', outcome: 'fixed' }],
    ]
    const goals: Goal[] = []
    let last = 0
    for (const [name, change] of changes) {
      const { id, preview_s, run_s } = await measureRun(own, { ids, change, by })
      last = id
      say(`bulk, ${name} of ${BULK_MAX} issues: preview ${preview_s.toFixed(1)} s, run ${run_s.toFixed(1)} s`)
      goals.push({ text: `bulk, ${name}: run ${run_s.toFixed(1)} s ≤ ${RUN_MAX_S} s`, reached: run_s <= RUN_MAX_S })
    }
    const begin = performance.now()
    await own.transaction((tx) => startUndo(tx, last, { by, now: new Date() }))
    await runBulk({}, { db: own, clock: () => new Date() })
    const undo_s = (performance.now() - begin) / 1_000
    goals.push({ text: `bulk, undo of the closing: ${undo_s.toFixed(1)} s ≤ ${RUN_MAX_S} s`, reached: undo_s <= RUN_MAX_S })
    return goals
  })
}

async function measureRun(
  db: PostgresDatabase,
  { ids, change, by }: { readonly ids: readonly number[]; readonly change: BulkChange; readonly by: Viewer },
): Promise<{ readonly id: number; readonly preview_s: number; readonly run_s: number }> {
  const now = new Date()
  const begin = performance.now()
  const preview = await previewRun(db, { ids, change, by, now, request_id: 'bench', language: 'en' })
  const id = await db.transaction((tx) => createRun(tx, { by, change, preview, now }))
  const { preview_hash: hash } = await db.prisma.bulkRun.findUniqueOrThrow({ where: { id }, select: { preview_hash: true } })
  await db.transaction((tx) => startRun(tx, id, { by, hash, now }))
  const middle = performance.now()
  await runBulk({}, { db, clock: () => new Date() })
  const done = await db.prisma.bulkRunIssue.count({ where: { run_id: id, state: 'done' } })
  if (done !== ids.length) throw new Error(`The run changed ${done} of ${ids.length} issues`)
  return { id, preview_s: (middle - begin) / 1_000, run_s: (performance.now() - middle) / 1_000 }
}
