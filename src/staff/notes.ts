import type { Queryable, Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { requireIssueCapability } from '../issue-lifecycle/edit-issue.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import type { Note } from './schema.ts'
import { listNotes } from './staff-issue.ts'

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
  const [note] = await listNotes(db, issueId, id)
  if (!note) throw problems.notFound('the_note')
  return note
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
