import type { FastifyRequest } from 'fastify'

import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { readBody, readText, toFormValues } from '../../html/form.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { contentFingerprint, parseVersion } from '../../http/request/version-header.ts'
import { isId } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { assignIssue, Assignment, parseAssigneeId } from '../../staff/assignments.ts'
import { changeType, parseTypeId, setPriority } from '../../staff/edits.ts'
import { mergeIssue, unmergeIssue } from '../../staff/merges/merge.ts'
import { addNote, deleteNote, editNote } from '../../staff/staff-issue.ts'
import { NewNote, type Note, PriorityChange, TypeChange } from '../../staff/schema.ts'
import { changeTarget } from '../../staff/targets/update-targets.ts'
import { TargetChange } from '../../staff/targets/schema.ts'
import { Acceptance, NewTransfer, Refusal } from '../../staff/transfers/schema.ts'
import { acceptTransfer, offerTransfer, readTransfer, refuseTransfer, withdrawTransfer } from '../../staff/transfers/transfer.ts'

export interface ActionInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

type StaffAction = (tx: Transaction, input: ActionInput, request: FastifyRequest) => Promise<unknown>

/** The version of a note in the form that edits it. */
export const noteVersion = (note: Pick<Note, 'text'>) => contentFingerprint(note.text, 'form')

const edit = (input: ActionInput, request: FastifyRequest) =>
  ({ ...input, source: 'web', version: parseVersion(readField(request, 'version')) }) as const

/** The forms of the staff side of an issue, by the last part of their path. */
const actions: Readonly<Record<string, StaffAction>> = {
  assignee: (tx, input, request) =>
    assignIssue(tx, { ...edit(input, request), assignee_id: parseAssigneeId(readBody(request, Assignment).assignee_id) }),
  priority: (tx, input, request) => setPriority(tx, { ...edit(input, request), ...readBody(request, PriorityChange) }),
  type: (tx, input, request) =>
    changeType(tx, { ...edit(input, request), request_type_id: parseTypeId(readBody(request, TypeChange).request_type_id) }),
  target: (tx, input, request) =>
    changeTarget(tx, { ...edit(input, request), change: readBody(request, TargetChange, { reason: 'target_reason' }) }),
  transfer: (tx, input, request) => offerTransfer(tx, { ...edit(input, request), offer: readBody(request, NewTransfer) }),
  'transfer/accept': async (tx, input, request) =>
    acceptTransfer(tx, { ...(await toAnswer(tx, input, request)), ...readBody(request, Acceptance) }),
  'transfer/refuse': async (tx, input, request) =>
    refuseTransfer(tx, { ...(await toAnswer(tx, input, request)), ...readBody(request, Refusal) }),
  'transfer/withdraw': async (tx, input, request) => withdrawTransfer(tx, await toAnswer(tx, input, request)),
  merge: (tx, input, request) => mergeIssue(tx, { ...edit(input, request), duplicate_of: parseDuplicateOf(request) }),
  unmerge: (tx, input, request) => unmergeIssue(tx, edit(input, request)),
  notes: (tx, input, request) => addNote(tx, { ...input, ...readBody(request, NewNote, { text: 'note' }) }),
  'notes/edit': (tx, input, request) =>
    editNote(tx, { ...input, ...readBody(request, NewNote, { text: 'note' }) }, readId(request, 'note_id'), (note) => {
      if (noteVersion(note) !== readField(request, 'note_version')) throw problems.invalid({ note: text('form_changed_meanwhile') })
    }),
  'notes/delete': (tx, input, request) => deleteNote(tx, input, readId(request, 'note_id')),
}

export const staffActions = Object.fromEntries(
  Object.entries(actions).map(([step, act]) => [
    step,
    { run: async (...input: Parameters<StaffAction>) => void (await act(...input)), returnsTo: 'staff' },
  ]),
)

const readField = ({ body }: FastifyRequest, name: string) => readText(toFormValues(body), name)

/** Returns 0, the id of no row, for a value that is no id. */
const readId = (request: FastifyRequest, name: string) => toId(readField(request, name))
const toId = (value: string) => (/^\d{1,10}$/.test(value) && isId(Number(value)) ? Number(value) : 0)

/** The number may have a `#`, as pages write it. */
const parseDuplicateOf = (request: FastifyRequest) => toId(readField(request, 'duplicate_of').trim().replace(/^#/, ''))

/** @throws Problem 404 for an offer of another issue, or one that the caller may not see */
async function toAnswer(tx: Transaction, input: ActionInput, request: FastifyRequest) {
  const transfer = await readTransfer(tx, readId(request, 'transfer_id'), input.by)
  if (transfer.issue_id !== input.issue_id) throw problems.notFound('the_transfer')
  return { ...edit(input, request), transfer }
}
