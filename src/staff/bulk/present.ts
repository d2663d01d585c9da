import type { PrismaHandle } from '../../database/database.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import { requireOwnRun } from './run.ts'
import { type BulkChange, type BulkIssueState, bulkIssueStates, type BulkRun } from './schema.ts'

/** Returns a run with its counts and the issues that were not changed. @throws Problem 404 for the run of another user */
export async function readRun(db: PrismaHandle, id: number, by: Viewer): Promise<BulkRun> {
  const run = await requireOwnRun(db, id, by)
  const [groups, reasons] = await Promise.all([
    db.prisma.bulkRunIssue.groupBy({ by: ['state'], where: { run_id: id }, _count: true }),
    db.prisma.bulkRunIssue.findMany({
      where: { run_id: id, state: { in: ['refused', 'failed', 'left'] } },
      orderBy: { issue_id: 'asc' },
    }),
  ])
  const count = (state: BulkIssueState) => groups.find((group) => group.state === state)?._count ?? 0
  const toReasons = (...states: string[]) =>
    reasons.filter(({ state }) => states.includes(state)).map(({ issue_id, why }) => ({ id: issue_id, why: why ?? '' }))
  const stamp = (at: Date | null) => toNullableTimestamp(at?.toISOString() ?? null)
  return {
    id,
    state: run.state as BulkRun['state'],
    change: run.change as BulkChange,
    count: bulkIssueStates.filter((state) => state !== 'refused').reduce((sum, state) => sum + count(state), 0),
    counts: {
      ...{ pending: count('pending'), refused: count('refused'), done: count('done') },
      ...{ failed: count('failed'), undone: count('undone'), left: count('left') },
    },
    refused: toReasons('refused', 'failed'),
    left: toReasons('left'),
    mails: run.mails,
    hash: run.preview_hash,
    created_at: toTimestamp(run.created_at.toISOString()),
    undo_until: stamp(run.undo_until),
    done_at: stamp(run.done_at),
    undone_at: stamp(run.undone_at),
  }
}
