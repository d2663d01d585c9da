import Type, { type Static } from 'typebox'
import { checkClosing } from '../../comments/new-comment.ts'
import { type CommentPublication, publishOnLockedIssues } from '../../comments/publish-comment.ts'
import {
  Id,
  IdRow,
  nullable,
  stringEnum,
  Timestamp,
  type PrismaHandle,
  type Queryable,
  sql,
  type Transaction,
  findUnknownIds,
  type Database,
} from '../../database/database.ts'
import { findReviewReasons } from '../../content-policy/policy.ts'
import { Problem, problems } from '../../errors/problems.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { issueReadableBy } from '../../issue-lifecycle/access.ts'
import { editIssue, type IssueEdit, lockEditableIssues } from '../../issue-lifecycle/edit-issue.ts'
import { lockUser } from '../../issue-lifecycle/lock-issue.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { checkTransition, refusalMessage } from '../../issue-lifecycle/transitions.ts'
import { inLanguage, type Language, text } from '../../locales/texts.ts'
import { pointsFor } from '../../users/rules.ts'
import { type AssignmentBatch, assignIssue, findAssignable, recordAssignments } from '../assignments.ts'
import { changeType, setPriority } from '../edits.ts'
import { type BulkChange, BULK_MAX } from './schema.ts'
import { createHash } from 'node:crypto'
import { addIssueMails } from '../../notifications/recipients/issue-notification-queries.ts'
import { addWatchMailsAndMatches } from '../../watch-areas/match-queries.ts'
import { previewOf, RolledBack } from '../previews.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import type { WorklistQuery } from '../worklist/schema.ts'
import { parseWorklist, type Worklist } from '../worklist/worklist.ts'

export type BulkEdit = Omit<IssueEdit, 'capability' | 'organization_id' | 'batch'>

/** The common parts of the changes of a batch, and the rows that are written at once at its end. */
interface Batch extends AssignmentBatch {
  /** The issues whose status changes, by their status. */
  readonly moves: Map<Status, { readonly ids: number[]; readonly transition: NonNullable<CommentPublication['transition']> }>
  /** The issues whose status is changed back, as they were before, with their present status. */
  readonly reverts: (Changeable & { readonly from_status: Status })[]
}

/** The columns of an issue that a run may change. */
export const Changeable = Type.Object({
  id: Id,
  version: Id,
  status: stringEnum(statuses),
  outcome: nullable(Type.String()),
  priority: Type.Integer(),
  assignee_id: nullable(Id),
  request_type_id: nullable(Id),
  acknowledged_at: nullable(Timestamp),
  closed_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
})
export type Changeable = Static<typeof Changeable>

const listChangeable = (db: Queryable, ids: readonly number[]): Promise<Changeable[]> =>
  db.query(sql.type(Changeable)`
    SELECT i.id, i.version, i.status, i.outcome, i.priority, i.assignee_id, i.request_type_id, i.acknowledged_at, i.closed_at, i.reopened_at
    FROM issues i WHERE i.id = ANY(${ids}::integer[]) ORDER BY i.id`)

/** @throws Problem 422 naming the field unless there is exactly one change that is complete, and `{comment}` for a text that needs a review */
export async function checkChange(db: Queryable & PrismaHandle, change: BulkChange, by: Viewer, now: Date): Promise<void> {
  const { assignee_id, priority, request_type_id, transition, comment, outcome, passed_on_to, duplicate_of } = change
  if ([assignee_id, priority, request_type_id, transition].filter((one) => one !== undefined).length !== 1)
    throw problems.invalid({ change: text('one_change') })
  if ((transition === undefined) !== (comment === undefined)) throw problems.invalid({ comment: text('comment_with_transition') })
  if (transition !== 'close' && [outcome, passed_on_to, duplicate_of].some(Boolean))
    throw problems.invalid({ outcome: text('outcome_with_close') })
  for (const [field, table, id] of [
    ['assignee_id', 'users', assignee_id],
    ['request_type_id', 'request_types', request_type_id],
  ] as const)
    if (id && (await findUnknownIds(db, table, [id])).length > 0)
      throw problems.invalid({ [field]: text('unknown_names', { names: id }) })
  await readClosing(db, change, 0)
  const { created_at, locale } = await db.prisma.user.findUniqueOrThrow({ where: { id: by.id } })
  const submission = { texts: [comment ?? '', passed_on_to ?? ''], locale, authorCreatedAt: created_at, now }
  // A moderator decides on the answer to one issue, not on that of a run.
  if (findReviewReasons({ ...submission, duplicateCount: 0, organizationReviewsAll: false }).length > 0)
    throw problems.invalid({ comment: text('text_needs_review') })
}

/** @throws Problem 422 `{ids}` naming those that no issue has, or that the caller may not read */
export async function requireKnownIssues(db: Queryable, ids: readonly number[], by: Viewer): Promise<void> {
  const rows = await db.query(
    sql.type(IdRow)`SELECT i.id FROM issues i WHERE i.id = ANY(${ids}::integer[]) AND ${issueReadableBy(by)}`,
  )
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0) throw problems.invalid({ ids: text('unknown_names', { names: unknown.join(', ') }) })
}

/** @throws Problem 422 naming the field of the closing */
async function readClosing(db: PrismaHandle, change: BulkChange, issueId: number) {
  const { transition } = change
  const { closing, errors } = await checkClosing(db, { issueId, transition, role: 'employee', body: change, inputErrors: {} })
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  return closing
}

/** Locks the caller and the issues of a batch. */
export async function startBatch(
  tx: Transaction,
  by: Viewer,
  ids: readonly number[],
  { assignee_id = null }: BulkChange,
): Promise<Batch> {
  await lockUser(tx, by.id)
  const issues = await lockEditableIssues(tx, ids, { by, capability: 'work_on_issues' })
  const assignable = assignee_id === null ? new Set<number>() : await findAssignable(tx, ids, assignee_id)
  return { issues, log: [], assigned: [], assignable, moves: new Map(), reverts: [] }
}

/** Changes one issue of a batch; `finishBatch` writes the rest. @throws Problem of the change */
export async function applyChange(tx: Transaction, edit: BulkEdit & { readonly batch: Batch }, change: BulkChange): Promise<void> {
  const { assignee_id, priority, request_type_id, transition } = change
  if (assignee_id !== undefined) return assignIssue(tx, { ...edit, assignee_id })
  if (priority !== undefined) return setPriority(tx, { ...edit, priority })
  if (transition === undefined)
    return void (await changeType(tx, { ...edit, request_type_id: request_type_id ?? null, mayOffer: false }))
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
  const check = checkTransition(transition, status, 'employee')
  if (!('to' in check)) throw problems.invalid({ base: refusalMessage(transition, status) })
  const closing = await readClosing(tx, change, edit.issue_id)
  const { moves } = edit.batch
  const move = moves.get(status) ?? { ids: [], transition: { name: transition, from: status, to: check.to, closing } }
  moves.set(status, move)
  move.ids.push(edit.issue_id)
}

/** Writes the log of a batch, its comments with their changes of status, and its events. */
export async function finishBatch(
  tx: Transaction,
  { by, now, request_id }: Pick<BulkEdit, 'by' | 'now' | 'request_id'>,
  { assignee_id = null, comment = '' }: BulkChange,
  { log, assigned, moves, reverts }: Batch,
): Promise<void> {
  await tx.prisma.issueLog.createMany({ data: log })
  if (reverts.length > 0) await revertTransitions(tx, { by, now }, reverts)
  if (assigned.length > 0) await recordAssignments(tx, { by, request_id, assignee_id }, assigned)
  if (moves.size === 0) return
  const commenter_id = by.id
  const { locale } = await tx.prisma.user.findUniqueOrThrow({ where: { id: commenter_id }, select: { locale: true } })
  const row = { commenter_id, comment, video_url: null, locale, device_id: null, created_at: now }
  for (const { ids, transition } of moves.values())
    await publishOnLockedIssues(tx, ids, { commenter_id, comment: row, transition, now, request_id })
}

/**
 * Changes one issue of a batch back; `finishBatch` writes the rest. The version of `edit` is that after the run.
 * @throws Problem of the change, 412 if the issue has changed since
 */
export async function revertChange(
  tx: Transaction,
  { batch, ...single }: BulkEdit & { readonly batch: Batch },
  change: BulkChange,
  before: Changeable,
): Promise<void> {
  const edit = { ...single, batch }
  if (edit.version === before.version) return
  // The former employees in charge are different ones.
  if (change.assignee_id !== undefined) return assignIssue(tx, { ...single, assignee_id: before.assignee_id })
  if (change.priority !== undefined) return setPriority(tx, { ...edit, priority: before.priority })
  if (change.transition === undefined)
    return void (await changeType(tx, { ...edit, request_type_id: before.request_type_id, mayOffer: false }))
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
  batch.reverts.push({ ...before, from_status: status })
}

/** Deletes the comments of the changes of status as well, and takes back their civic points. */
async function revertTransitions(
  tx: Transaction,
  { by, now }: Pick<BulkEdit, 'by' | 'now'>,
  reverts: Batch['reverts'],
): Promise<void> {
  await tx.execute(sql`
    WITH last AS (
      SELECT DISTINCT ON (s.issue_id) s.comment_id FROM status_changes s
      WHERE s.issue_id = ANY(${reverts.map(({ id }) => id)}::integer[]) ORDER BY s.issue_id, s.id DESC),
    deleted AS (DELETE FROM comments c USING last WHERE c.id = last.comment_id AND c.commenter_id = ${by.id} RETURNING c.id)
    UPDATE users u SET civic_points = u.civic_points - deleted.points, revision = u.revision + 1, summary_revision = u.summary_revision + 1
    FROM (SELECT count(*)::integer * ${pointsFor.comment}::integer AS points FROM deleted) deleted WHERE u.id = ${by.id}`)
  await tx.execute(sql`
    WITH issue AS (
      UPDATE issues i SET status = former.status, outcome = former.outcome, version = i.version + 1,
        acknowledged_at = former.acknowledged_at, closed_at = former.closed_at, reopened_at = former.reopened_at
      FROM json_to_recordset(${JSON.stringify(reverts)}::json) AS former (id integer, from_status issue_status, status issue_status, outcome text,
        acknowledged_at timestamptz, closed_at timestamptz, reopened_at timestamptz)
      WHERE i.id = former.id
      RETURNING i.id, former.from_status, i.status, i.version)
    INSERT INTO status_changes (issue_id, actor_id, from_status, to_status, created_at, version)
    SELECT issue.id, ${by.id}::integer, issue.from_status, issue.status, ${now.toISOString()}::timestamptz, issue.version FROM issue`)
}

/** Returns the first reason of a refusal. Other errors are thrown again. */
export function describeRefusal(error: unknown, language: Language): string {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  if (error.status === 412) return inLanguage(text('issue_changed_since'), language)
  const { body } = error
  const [reason] = body.kind === 'message' ? [body.message] : Object.values(body.fields).flat()
  return reason === undefined ? error.message : inLanguage(reason, language)
}

/** Issues of one transaction. */
export const BATCH_MAX = 50

interface PreviewInput {
  readonly ids: readonly number[]
  readonly change: BulkChange
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
  readonly language: Language
}

export interface Preview {
  readonly accepted: readonly Changeable[]
  readonly refused: readonly { readonly id: number; readonly why: string }[]
  readonly mails: number
}

/**
 * Returns what a run would do: it makes the change and writes its mails in transactions that are rolled back, so that the preview follows the same rules
 * as the run.
 */
export async function previewRun(db: Database, input: PreviewInput): Promise<Preview> {
  const ids = [...new Set(input.ids)].toSorted((a, b) => a - b)
  const previews: Preview[] = []
  for (let start = 0; start < ids.length; start += BATCH_MAX)
    previews.push(await previewBatch(db, { ...input, ids: ids.slice(start, start + BATCH_MAX) }))
  return {
    accepted: previews.flatMap(({ accepted }) => accepted),
    refused: previews.flatMap(({ refused }) => refused),
    mails: previews.reduce((sum, { mails }) => sum + mails, 0),
  }
}

const previewBatch = (db: Database, input: PreviewInput) =>
  previewOf<Preview>(() =>
    db.transaction(async (tx) => {
      throw new RolledBack(await tryBatch(tx, input))
    }),
  )

async function tryBatch(tx: Transaction, { ids, change, language, ...edit }: PreviewInput): Promise<Preview> {
  const issues = new Map((await listChangeable(tx, ids)).map((issue) => [issue.id, issue]))
  const accepted: Changeable[] = []
  const refused: { id: number; why: string }[] = []
  const batch = await startBatch(tx, edit.by, ids, change)
  for (const id of ids) {
    try {
      await applyChange(tx, { ...edit, issue_id: id, version: 'any', source: 'job', batch }, change)
    } catch (error) {
      refused.push({ id, why: describeRefusal(error, language) })
      continue
    }
    const issue = issues.get(id)
    if (issue) accepted.push(issue)
  }
  await finishBatch(tx, edit, change, batch)
  const events = tx.deliveries.flatMap(({ event_id, handler }) => (handler === 'notify' ? [event_id] : []))
  if (events.length === 0) return { accepted, refused, mails: 0 }
  const toFollowers = await addIssueMails(tx, ...events)
  const toWatchers = change.transition === undefined ? 0 : (await addWatchMailsAndMatches(tx, ...events)).mails
  return { accepted, refused, mails: toFollowers + toWatchers }
}

/** Returns a hash of what the preview shows. */
export const hashPreview = (change: BulkChange, { accepted, refused, mails }: Preview): string =>
  createHash('sha256')
    .update(JSON.stringify([change, accepted.map(({ id, version }) => [id, version]), refused, mails]))
    .digest('hex')

/**
 * Returns the ids of all issues of a list of staff, of every page. Check the capability `work_on_issues` first.
 * @throws Problem 422 naming a parameter that is not allowed, and `{query}` if it selects no issue or too many
 */
export async function selectIds(worklist: Worklist, query: WorklistQuery): Promise<number[]> {
  const { filter } = await parseWorklist(worklist, query, { page: 1, perPage: BULK_MAX })
  const issues = await listIssueDots(worklist.reader, filter, BULK_MAX + 1)
  if (issues.length === 0 || issues.length > BULK_MAX) throw problems.invalid({ query: text('bulk_query', { max: BULK_MAX }) })
  return issues.map(({ id }) => id)
}
