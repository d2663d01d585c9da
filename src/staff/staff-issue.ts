import Type, { type Static } from 'typebox'
import { Id, nullable, stringEnum, Timestamp, type Queryable, sql, join, prepared, type Transaction } from '../database/database.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { capabilities } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import { can, issueReadableBy } from '../issue-lifecycle/access.ts'
import { requireIssueCapability } from '../issue-lifecycle/edit-issue.ts'
import { listLog } from '../issue-lifecycle/log-queries.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { findIssueTarget } from './targets/issue-target.ts'
import { findOpenTransfer, toTransfer } from './transfers/queries.ts'
import { type Note, STAFF_ENTRIES_MAX, type StaffIssue } from './schema.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'

const Person = nullable(Type.Object({ id: Id, name: Type.String() }))

const StaffRow = Type.Object({
  id: Id,
  version: Id,
  status: stringEnum(statuses),
  outcome: nullable(Type.String()),
  priority: Type.Integer(),
  request_type_id: nullable(Id),
  assignee: Person,
  capabilities: Type.Array(stringEnum(capabilities)),
})

/** @throws Problem 404 if the caller may not read the issue, 403 without the capability `read_issues` */
export async function readStaffIssue(db: Queryable, id: number, viewer: Viewer, urls: Urls): Promise<StaffIssue> {
  await requireIssueCapability(db, id, viewer, 'read_issues')
  return orNotFound(await findStaffIssue(db, id, viewer, urls), 'the_issue')
}

/** Returns what only staff see of an issue, with its log and notes, or undefined if the caller lacks `read_issues` for it. */
export async function findStaffIssue(db: Queryable, id: number, viewer: Viewer, urls: Urls): Promise<StaffIssue | undefined> {
  const [issue] = await db.query(
    prepared(sql.type(StaffRow)`
    SELECT i.id, i.version, i.status, i.outcome, i.priority, i.request_type_id,
      (SELECT json_build_object('id', u.id, 'name', u.name) FROM users u WHERE u.id = i.assignee_id) AS assignee,
      array_remove(ARRAY[${join(capabilities.map((capability) => sql`CASE WHEN ${can(viewer, capability)} THEN ${capability}::text END`))}], NULL) AS capabilities
    FROM issues i WHERE i.id = ${id} AND ${issueReadableBy(viewer)} AND ${can(viewer, 'read_issues')}`),
  )
  if (!issue) return undefined
  const [target, transfer, notes, log] = await Promise.all([
    findIssueTarget(db, id, new Date()),
    findOpenTransfer(db, id),
    listNotes(db, id),
    listLog(db, id, { limit: STAFF_ENTRIES_MAX }),
  ])
  return {
    ...issue,
    target,
    transfer: transfer ? toTransfer(transfer, urls) : null,
    notes,
    log: log.map((entry) => ({ ...entry, at: toTimestamp(entry.at) })),
  }
}

const NoteRow = Type.Object({
  id: Id,
  issue_id: Id,
  text: Type.String(),
  author: Person,
  created_at: Timestamp,
  edited_at: nullable(Timestamp),
})

/** @param id of one note, null for all */
async function listNotes(db: Queryable, issueId: number, id: number | null = null): Promise<Note[]> {
  const newest = await db.query(
    prepared(sql.type(NoteRow)`
    SELECT n.id, n.issue_id, n.text, CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'name', u.name) END AS author, n.created_at, n.edited_at
    FROM issue_notes n LEFT JOIN users u ON u.id = n.author_id
    WHERE n.issue_id = ${issueId} AND (${id}::integer IS NULL OR n.id = ${id}::integer)
    ORDER BY n.id DESC LIMIT ${STAFF_ENTRIES_MAX}::integer`),
  )
  return newest.reverse().map(toNote)
}

export const toNote = (row: Static<typeof NoteRow>): Note => ({
  ...row,
  created_at: toTimestamp(row.created_at),
  edited_at: toNullableTimestamp(row.edited_at),
})

interface NoteInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly text: string
  readonly now: Date
}

/** Adds an internal note and returns its id. @throws Problem 404, or 403 without the capability `read_issues` */
export async function addNote(tx: Transaction, { issue_id, by, text, now }: NoteInput): Promise<number> {
  await requireIssueCapability(tx, issue_id, by, 'read_issues')
  const { id } = await tx.prisma.issueNote.create({
    data: { issue_id, author_id: by.id, text: text.trim(), created_at: now },
    select: { id: true },
  })
  return id
}

/** @throws Problem as `addNote`, 404 for an unknown note */
export async function readNote(db: Queryable, issueId: number, by: Viewer, id: number): Promise<Note> {
  await requireIssueCapability(db, issueId, by, 'read_issues')
  return orNotFound((await listNotes(db, issueId, id))[0], 'the_note')
}

/** Replaces the text of a note of the caller, after `check` of the present one. @throws Problem 404 for an unknown note and for one of another author */
export async function editNote(
  tx: Transaction,
  { issue_id, by, text, now }: NoteInput,
  id: number,
  check: (note: Note) => void,
): Promise<void> {
  await lockUser(tx, by.id)
  check(await readNote(tx, issue_id, by, id))
  const { count } = await tx.prisma.issueNote.updateMany({
    where: { id, issue_id, author_id: by.id },
    data: { text: text.trim(), edited_at: now },
  })
  if (count === 0) throw problems.notFound('the_note')
}

/** Removes a note of the caller, after `check`. @throws Problem as `editNote` */
export async function deleteNote(
  tx: Transaction,
  { issue_id, by }: Omit<NoteInput, 'text' | 'now'>,
  id: number,
  check: (find: () => Promise<Note>) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await lockUser(tx, by.id)
  await requireIssueCapability(tx, issue_id, by, 'read_issues')
  await check(() => readNote(tx, issue_id, by, id))
  const { count } = await tx.prisma.issueNote.deleteMany({ where: { id, issue_id, author_id: by.id } })
  if (count === 0) throw problems.notFound('the_note')
}
