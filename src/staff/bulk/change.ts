import Type, { type Static } from 'typebox'

import { checkClosing } from '../../comments/new-comment.ts'
import { publishLocked } from '../../comments/publish-comment.ts'
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
} from '../../database/database.ts'
import { Problem, problems } from '../../errors/problems.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { issueReadableBy } from '../../issue-lifecycle/access.ts'
import { editIssue, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { lockUser } from '../../issue-lifecycle/lock-issue.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { checkTransition, refusalMessage } from '../../issue-lifecycle/transitions.ts'
import { inLanguage, type Language, text } from '../../locales/texts.ts'
import { pointsFor } from '../../users/rules.ts'
import { type AssignmentBatch, assignIssue, findAssignable } from '../assignments.ts'
import { changeType, setPriority } from '../edits.ts'
import type { BulkChange } from './schema.ts'

export type BulkEdit = Omit<IssueEdit, 'capability' | 'organization_id'> & { readonly batch?: AssignmentBatch }

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

export const listChangeable = (db: Queryable, ids: readonly number[]): Promise<Changeable[]> =>
  db.query(sql.type(Changeable)`
    SELECT i.id, i.version, i.status, i.outcome, i.priority, i.assignee_id, i.request_type_id, i.acknowledged_at, i.closed_at, i.reopened_at
    FROM issues i WHERE i.id = ANY(${ids}::integer[]) ORDER BY i.id`)

/** @throws Problem 422 naming the field unless there is exactly one change that is complete */
export async function checkChange(db: Queryable & PrismaHandle, change: BulkChange): Promise<void> {
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

/** Locks the caller and reads what all changes of a batch have in common. */
export async function startBatch(
  tx: Transaction,
  by: Viewer,
  ids: readonly number[],
  { assignee_id = null }: BulkChange,
): Promise<AssignmentBatch> {
  await lockUser(tx, by.id)
  return { log: [], assigned: [], assignable: assignee_id === null ? new Set() : await findAssignable(tx, ids, assignee_id) }
}

/** Changes one issue. @throws Problem of the change */
export async function applyChange(tx: Transaction, edit: BulkEdit, change: BulkChange): Promise<void> {
  const { assignee_id, priority, request_type_id, transition } = change
  if (assignee_id !== undefined) return assignIssue(tx, { ...edit, assignee_id })
  if (priority !== undefined) return setPriority(tx, { ...edit, priority })
  if (transition === undefined)
    return void (await changeType(tx, { ...edit, request_type_id: request_type_id ?? null, mayOffer: false }))
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
  const check = checkTransition(transition, status, 'employee')
  if (!('to' in check)) throw problems.invalid({ base: refusalMessage(transition, status) })
  const { issue_id, by, now, request_id } = edit
  const { locale } = await tx.prisma.user.findUniqueOrThrow({ where: { id: by.id }, select: { locale: true } })
  const comment = change.comment ?? ''
  const closing = await readClosing(tx, change, issue_id)
  await publishLocked(tx, {
    ...{ issue_id, commenter_id: by.id, now, request_id },
    comment: { issue_id, commenter_id: by.id, comment, video_url: null, locale, device_id: null, created_at: now },
    transition: { name: transition, from: status, to: check.to, ...(closing && { closing }) },
  })
}

/** Changes one issue back. The version of `edit` is that after the run. @throws Problem of the change, 412 if the issue has changed since */
export async function revertChange(tx: Transaction, edit: BulkEdit, change: BulkChange, before: Changeable): Promise<void> {
  if (edit.version === before.version) return
  if (change.assignee_id !== undefined) return assignIssue(tx, { ...edit, assignee_id: before.assignee_id })
  if (change.priority !== undefined) return setPriority(tx, { ...edit, priority: before.priority })
  if (change.transition === undefined)
    return void (await changeType(tx, { ...edit, request_type_id: before.request_type_id, mayOffer: false }))
  const { issue_id, by, now } = edit
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => undefined)
  const last = await tx.prisma.statusChange.findFirst({ where: { issue_id }, orderBy: { id: 'desc' } })
  await tx.execute(sql`
    UPDATE issues i SET status = ${before.status}::issue_status, outcome = ${before.outcome}::text, version = i.version + 1,
      acknowledged_at = ${before.acknowledged_at}::timestamptz, closed_at = ${before.closed_at}::timestamptz, reopened_at = ${before.reopened_at}::timestamptz
    WHERE i.id = ${issue_id}`)
  const { version } = await tx.prisma.issue.findUniqueOrThrow({ where: { id: issue_id }, select: { version: true } })
  await tx.prisma.statusChange.create({
    data: { issue_id, actor_id: by.id, from_status: status, to_status: before.status, created_at: now, version },
  })
  if (!last?.comment_id) return
  const { count } = await tx.prisma.comment.deleteMany({ where: { id: last.comment_id, commenter_id: by.id } })
  await tx.execute(sql`
    UPDATE users u SET civic_points = u.civic_points - ${count * pointsFor.comment}::integer, revision = u.revision + 1, summary_revision = u.summary_revision + 1
    WHERE u.id = ${by.id}`)
}

/** Returns the first reason of a refusal. Other errors are thrown again. */
export function describeRefusal(error: unknown, language: Language): string {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  if (error.status === 412) return inLanguage(text('issue_changed_since'), language)
  const { body } = error
  const [reason] = body.kind === 'message' ? [body.message] : Object.values(body.fields).flat()
  return reason === undefined ? error.message : inLanguage(reason, language)
}
