import Type from 'typebox'
import { Id, stringEnum, type Database, type PrismaHandle, sql, type Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { findViewer, type Viewer } from '../../http/identity/viewer-queries.ts'
import { type Language, languageOf } from '../../locales/texts.ts'
import {
  applyChange,
  type BulkEdit,
  type Changeable,
  describeRefusal,
  finishBatch,
  revertChange,
  startBatch,
  BATCH_MAX,
  hashPreview,
  type Preview,
} from './change.ts'
import { type BulkChange, type BulkIssueState, bulkIssueStates, type BulkRun } from './schema.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'

const UNDO_MINUTES = 10
/** Time for which an undo keeps the mails of its run from being sent. */
const UNDO_MAX_MINUTES = 60

/** Stores a preview and returns the id of its run. */
export async function createRun(
  tx: Transaction,
  { by, change, preview, now }: { readonly by: Viewer; readonly change: BulkChange; readonly preview: Preview; readonly now: Date },
): Promise<number> {
  const { accepted, refused, mails } = preview
  const data = { actor_id: by.id, change, preview_hash: hashPreview(change, preview), mails, created_at: now }
  const { id: run_id } = await tx.prisma.bulkRun.create({ data, select: { id: true } })
  await tx.prisma.bulkRunIssue.createMany({
    data: [
      ...accepted.map((before) => ({ run_id, issue_id: before.id, before })),
      ...refused.map(({ id, why }) => ({ run_id, issue_id: id, state: 'refused', why })),
    ],
  })
  return run_id
}

/** @throws Problem 404 for the run of another user */
async function requireOwnRun({ prisma }: Pick<Transaction, 'prisma'>, id: number, by: Viewer) {
  const run = await prisma.bulkRun.findUnique({ where: { id } })
  if (!run || (run.actor_id !== by.id && !by.isAdmin)) throw problems.notFound('the_bulk_run')
  return run
}

/** Starts a run; the job `run-bulk` does the work. @throws Problem 404, 409 if the preview has another hash, is no longer true or was run already */
export async function startRun(
  tx: Transaction,
  id: number,
  { by, hash, now }: { by: Viewer; hash: string; now: Date },
): Promise<void> {
  await lockRun(tx, id)
  const run = await requireOwnRun(tx, id, by)
  if (run.state !== 'preview' || run.preview_hash !== hash || (await hasChanged(tx, id))) throw problems.previewOutdated()
  const undo_until = new Date(now.getTime() + UNDO_MINUTES * 60_000)
  await tx.prisma.bulkRun.update({ where: { id }, data: { state: 'running', undo_until } })
}

/** Starts to undo a run. @throws Problem 404, 409 if it has not begun, is undone already or began more than ten minutes ago */
export async function startUndo(tx: Transaction, id: number, { by, now }: { by: Viewer; now: Date }): Promise<void> {
  await lockRun(tx, id)
  const run = await requireOwnRun(tx, id, by)
  if (!['running', 'done'].includes(run.state) || run.undo_until === null || run.undo_until <= now) throw problems.undoTooLate()
  await tx.prisma.bulkRun.update({ where: { id }, data: { state: 'undoing' } })
  const until = new Date(now.getTime() + UNDO_MAX_MINUTES * 60_000)
  await tx.execute(sql`
    UPDATE outbox_deliveries d SET due_at = ${until.toISOString()}::timestamptz
    FROM bulk_run_issues b WHERE b.run_id = ${id} AND d.event_id = ANY(b.event_ids) AND d.delivered_at IS NULL`)
}

const lockRun = (tx: Transaction, id: number) => tx.execute(sql`SELECT r.id FROM bulk_runs r WHERE r.id = ${id} FOR UPDATE`)

async function hasChanged(tx: Transaction, id: number): Promise<boolean> {
  const changed = await tx.query(sql.type(Type.Object({ id: Id }))`
    SELECT b.issue_id AS id FROM bulk_run_issues b LEFT JOIN issues i ON i.id = b.issue_id
    WHERE b.run_id = ${id} AND b.state = 'pending' AND i.version IS DISTINCT FROM (b.before ->> 'version')::integer LIMIT 1`)
  return changed.length > 0
}

const DueRun = Type.Object({ id: Id, state: stringEnum(['running', 'undoing']) })

/** Works on one batch of one run. Returns false if there is no work. Concurrent calls work on different runs, and each issue is changed once. */
export async function runNextBatch(db: Pick<Database, 'transaction'>, now: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [due] = await tx.query(sql.type(DueRun)`
      SELECT r.id, r.state FROM bulk_runs r WHERE r.state IN ('running', 'undoing') ORDER BY r.id LIMIT 1 FOR UPDATE SKIP LOCKED`)
    if (!due) return false
    const isUndo = due.state === 'undoing'
    const run = await tx.prisma.bulkRun.findUniqueOrThrow({
      where: { id: due.id },
      include: { actor: { select: { locale: true } } },
    })
    const rows = await tx.prisma.bulkRunIssue.findMany({
      where: { run_id: run.id, state: isUndo ? 'done' : 'pending' },
      orderBy: { issue_id: 'asc' },
      take: BATCH_MAX,
    })
    const by = run.actor_id === null ? undefined : await findViewer(tx, run.actor_id)
    if (rows.length === 0 || !by) {
      const data = isUndo ? ({ state: 'undone', undone_at: now } as const) : ({ state: 'done', done_at: now } as const)
      await tx.prisma.bulkRun.update({ where: { id: run.id }, data })
      if (isUndo) await releaseMails(tx, run.id, now)
      return true
    }
    const batch: BatchInput = {
      run_id: run.id,
      change: run.change as BulkChange,
      language: languageOf(run.actor?.locale ?? 'en'),
      edit: { by, source: 'job', now, request_id: `bulk-${run.id}`, bulk_run_id: run.id },
    }
    await (isUndo ? undoBatch(tx, rows, batch) : changeBatch(tx, rows, batch, run.undo_until ?? now))
    return true
  })
}

interface BatchInput {
  readonly run_id: number
  readonly change: BulkChange
  readonly language: Language
  readonly edit: Omit<BulkEdit, 'issue_id' | 'version'>
}

type Row = {
  readonly issue_id: number
  readonly before: unknown
  readonly after_version: number | null
  readonly event_ids: readonly bigint[]
}

interface Outcome {
  readonly issue_id: number
  readonly state: BulkIssueState
  readonly why: string | null
  readonly event_ids: readonly number[]
}

async function changeBatch(
  tx: Transaction,
  rows: readonly Row[],
  { run_id, change, language, edit }: BatchInput,
  dueAt: Date,
): Promise<void> {
  const outcomes: Outcome[] = []
  const ids = rows.map(({ issue_id }) => issue_id)
  const batch = await startBatch(tx, edit.by, ids, change)
  for (const { issue_id, before } of rows) {
    const { version } = before as Changeable
    const work = () => applyChange(tx, { ...edit, issue_id, version, batch }, change)
    outcomes.push(await attempt(tx, issue_id, work, ['done', 'failed'], language))
  }
  const first = tx.deliveries.length
  await finishBatch(tx, edit, change, batch)
  const where = { id: { in: takeEvents(tx, first) } }
  const finished = await tx.prisma.event.findMany({ where, select: { id: true, subject_id: true } })
  const eventOf = new Map(finished.map(({ id, subject_id }) => [subject_id, [Number(id)]]))
  const all = outcomes.map((one) => ({ ...one, event_ids: [...one.event_ids, ...(eventOf.get(one.issue_id) ?? [])] }))
  await write(tx, run_id, all)
  const events = all.flatMap(({ event_ids }) => event_ids)
  await tx.execute(
    sql`UPDATE outbox_deliveries d SET due_at = ${dueAt.toISOString()}::timestamptz WHERE d.event_id = ANY(${events}::bigint[])`,
  )
}

/** Mails of issues that are changed back are not sent, neither those of the run nor those of the undo. */
async function undoBatch(tx: Transaction, rows: readonly Row[], { run_id, change, language, edit }: BatchInput): Promise<void> {
  const outcomes: Outcome[] = []
  const ids = rows.map(({ issue_id }) => issue_id)
  const batch = await startBatch(tx, edit.by, ids, {})
  for (const { issue_id, before, after_version } of rows) {
    const work = () => revertChange(tx, { ...edit, issue_id, version: after_version ?? 0, batch }, change, before as Changeable)
    outcomes.push(await attempt(tx, issue_id, work, ['undone', 'left'], language))
  }
  await finishBatch(tx, edit, {}, batch)
  const undone = new Set(outcomes.filter(({ state }) => state === 'undone').map(({ issue_id }) => issue_id))
  const events = [
    ...outcomes.flatMap(({ event_ids }) => event_ids),
    ...rows.filter(({ issue_id }) => undone.has(issue_id)).flatMap(({ event_ids }) => event_ids.map(Number)),
  ]
  await tx.execute(sql`DELETE FROM outbox_deliveries d WHERE d.event_id = ANY(${events}::bigint[]) AND d.delivered_at IS NULL`)
  await write(tx, run_id, outcomes)
}

/** Problems are thrown before anything is written, so that the transaction continues. Deliveries of the events are kept from the queue. */
async function attempt(
  tx: Transaction,
  issue_id: number,
  work: () => Promise<void>,
  [success, failure]: readonly [BulkIssueState, BulkIssueState],
  language: Language,
): Promise<Outcome> {
  const first = tx.deliveries.length
  try {
    await work()
    return { issue_id, state: success, why: null, event_ids: takeEvents(tx, first) }
  } catch (error) {
    return { issue_id, state: failure, why: describeRefusal(error, language), event_ids: takeEvents(tx, first) }
  }
}

const takeEvents = (tx: Transaction, first: number): number[] => [
  ...new Set(tx.deliveries.splice(first).map(({ event_id }) => event_id)),
]

async function write(tx: Transaction, run_id: number, outcomes: readonly Outcome[]): Promise<void> {
  await tx.execute(sql`
    UPDATE bulk_run_issues b SET state = result.state, why = result.why,
      after_version = CASE WHEN result.state = 'done' THEN i.version ELSE b.after_version END,
      event_ids = CASE WHEN result.state = 'done' THEN result.event_ids ELSE b.event_ids END
    FROM json_to_recordset(${JSON.stringify(outcomes)}::json) AS result (issue_id integer, state text, why text, event_ids bigint[])
    LEFT JOIN issues i ON i.id = result.issue_id
    WHERE b.run_id = ${run_id} AND b.issue_id = result.issue_id`)
}

/** Mails about issues that the undo has left are sent. */
async function releaseMails(tx: Transaction, id: number, now: Date): Promise<void> {
  await tx.execute(sql`
    UPDATE outbox_deliveries d SET due_at = ${now.toISOString()}::timestamptz
    FROM bulk_run_issues b WHERE b.run_id = ${id} AND b.state = 'left' AND d.event_id = ANY(b.event_ids) AND d.delivered_at IS NULL`)
}

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
