import type { FastifyRequest } from 'fastify'

import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { type FormValues, readText, toFormValues } from '../../html/form.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { contentFingerprint, parseVersion } from '../../http/request/version-header.ts'
import { isId } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { assignIssue, ASSIGNEE_ALLOWED } from '../../staff/assignments.ts'
import { changeType, setPriority } from '../../staff/edits.ts'
import { mergeIssue, unmergeIssue } from '../../staff/merges/merge.ts'
import { addNote, deleteNote, editNote } from '../../staff/staff-issue.ts'
import { type Note, NOTE_MAX } from '../../staff/schema.ts'
import { changeTarget } from '../../staff/targets/update-targets.ts'
import { REASON_MAX, type TargetChange } from '../../staff/targets/schema.ts'
import { TRANSFER_TEXT_MAX } from '../../staff/transfers/schema.ts'
import { acceptTransfer, offerTransfer, readTransfer, refuseTransfer, withdrawTransfer } from '../../staff/transfers/transfer.ts'

export interface ActionInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

type StaffAction = (tx: Transaction, input: ActionInput, values: FormValues) => Promise<unknown>

export const UNASSIGNED = 'unassigned'

/** The version of a note in the form that edits it. */
export const noteVersion = (note: Pick<Note, 'text'>) => contentFingerprint(note.text, 'form')

const edit = (input: ActionInput, values: FormValues) =>
  ({ ...input, source: 'web', version: parseVersion(readText(values, 'version')) }) as const

/** The forms of the staff side of an issue, by the last part of their path. */
const actions: Readonly<Record<string, StaffAction>> = {
  assignee: (tx, input, values) => assignIssue(tx, { ...edit(input, values), assignee_id: parseAssigneeId(values) }),
  priority: (tx, input, values) => setPriority(tx, { ...edit(input, values), priority: parsePriority(values) }),
  type: (tx, input, values) => changeType(tx, { ...edit(input, values), request_type_id: parseTypeId(values) }),
  target: (tx, input, values) => changeTarget(tx, { ...edit(input, values), change: parsePause(values) }),
  transfer: (tx, input, values) => offerTransfer(tx, { ...edit(input, values), offer: parseOffer(values) }),
  'transfer/accept': async (tx, input, values) =>
    acceptTransfer(tx, { ...(await toAnswer(tx, input, values)), request_type_id: parseTypeId(values) ?? 0 }),
  'transfer/refuse': async (tx, input, values) =>
    refuseTransfer(tx, { ...(await toAnswer(tx, input, values)), refusal: parseWords(values, 'refusal', TRANSFER_TEXT_MAX) }),
  'transfer/withdraw': async (tx, input, values) => withdrawTransfer(tx, await toAnswer(tx, input, values)),
  merge: (tx, input, values) => mergeIssue(tx, { ...edit(input, values), duplicate_of: parseDuplicateOf(values) }),
  unmerge: (tx, input, values) => unmergeIssue(tx, edit(input, values)),
  notes: (tx, input, values) => addNote(tx, { ...input, text: parseWords(values, 'note', NOTE_MAX) }),
  'notes/edit': (tx, input, values) =>
    editNote(tx, { ...input, text: parseWords(values, 'note', NOTE_MAX) }, parseId(values, 'note_id') ?? 0, (note) => {
      if (noteVersion(note) !== readText(values, 'note_version')) throw problems.invalid({ note: text('form_changed_meanwhile') })
    }),
  'notes/delete': (tx, input, values) => deleteNote(tx, input, parseId(values, 'note_id') ?? 0),
}

export const staffActions = Object.fromEntries(
  Object.entries(actions).map(([step, act]) => [
    step,
    {
      run: async (tx: Transaction, input: ActionInput, { body }: FastifyRequest) => {
        await act(tx, input, toFormValues(body))
      },
      returnsTo: 'staff',
    },
  ]),
)

function parseId(values: FormValues, field: string): number | undefined {
  const value = readText(values, field)
  return /^\d{1,10}$/.test(value) && isId(Number(value)) ? Number(value) : undefined
}

function parseAssigneeId(values: FormValues): number | null {
  const value = readText(values, 'assignee_id')
  if (value === UNASSIGNED) return null
  if (!/^\d{1,10}$/.test(value)) throw problems.invalid({ assignee_id: text('must_be', { allowed: ASSIGNEE_ALLOWED }) })
  return Number(value)
}

function parsePriority(values: FormValues): number {
  const value = readText(values, 'priority')
  if (!/^[0-3]$/.test(value))
    throw problems.invalid({ priority: text('must_be', { allowed: text('integer_between', { min: 0, max: 3 }) }) })
  return Number(value)
}

function parseTypeId(values: FormValues): number | null {
  if (readText(values, 'request_type_id') === 'other') return null
  const id = parseId(values, 'request_type_id')
  if (id === undefined) throw problems.invalid({ request_type_id: text('must_be', { allowed: text('request_type_or_other') }) })
  return id
}

function parsePause(values: FormValues): TargetChange {
  if (readText(values, 'paused') !== 'true') return { paused: false }
  return { paused: true, reason: parseWords(values, 'target_reason', REASON_MAX) }
}

function parseWords(values: FormValues, field: string, max: number): string {
  const words = readText(values, field).trim()
  if (words === '' || words.length > max)
    throw problems.invalid({ [field]: text('must_be', { allowed: text('text_between', { min: 1, max }) }) })
  return words
}

function parseOffer(values: FormValues) {
  const organization_id = parseId(values, 'organization_id')
  if (organization_id === undefined) throw problems.invalid({ organization_id: text('organization_unknown') })
  return { organization_id, reason: parseWords(values, 'reason', TRANSFER_TEXT_MAX) }
}

/** The number may have a `#`, as pages write it. */
function parseDuplicateOf(values: FormValues): number {
  const id = parseId({ duplicate_of: readText(values, 'duplicate_of').trim().replace(/^#/, '') }, 'duplicate_of')
  if (id === undefined) throw problems.invalid({ duplicate_of: text('duplicate_of_unknown') })
  return id
}

/** @throws Problem 404 for an offer of another issue, or one that the caller may not see */
async function toAnswer(tx: Transaction, input: ActionInput, values: FormValues) {
  const transfer = await readTransfer(tx, parseId(values, 'transfer_id') ?? 0, input.by)
  if (transfer.issue_id !== input.issue_id) throw problems.notFound('the_transfer')
  return { ...edit(input, values), transfer }
}
