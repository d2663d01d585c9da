import type { FastifyRequest } from 'fastify'

import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { type FormValues, readText, toFormValues } from '../../html/form-input.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { parseVersion } from '../../http/request/version-header.ts'
import { isId } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { assignIssue } from '../../staff/assignments/assign.ts'
import { ASSIGNEE_ALLOWED } from '../../staff/assignments/schema.ts'
import { changeType, setPriority } from '../../staff/edits.ts'
import { addNote, deleteNote } from '../../staff/notes.ts'
import { NOTE_MAX } from '../../staff/schema.ts'
import { changeTarget } from '../../staff/targets/change-target.ts'
import { REASON_MAX, type TargetChange } from '../../staff/targets/schema.ts'

export interface ActionInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

type StaffAction = (tx: Transaction, input: ActionInput, values: FormValues) => Promise<unknown>

export const UNASSIGNED = 'unassigned'

const edit = (input: ActionInput, values: FormValues) =>
  ({ ...input, source: 'web', version: parseVersion(readText(values, 'version')) }) as const

/** The forms of the staff side of an issue, by the last part of their path. */
const actions: Readonly<Record<string, StaffAction>> = {
  assignee: (tx, input, values) => assignIssue(tx, { ...edit(input, values), assignee_id: parseAssigneeId(values) }),
  priority: (tx, input, values) => setPriority(tx, { ...edit(input, values), priority: parsePriority(values) }),
  type: (tx, input, values) => changeType(tx, { ...edit(input, values), request_type_id: parseTypeId(values) }),
  target: (tx, input, values) => changeTarget(tx, { ...edit(input, values), change: parsePause(values) }),
  notes: (tx, input, values) => addNote(tx, { ...input, text: parseNote(values) }),
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
  const reason = readText(values, 'target_reason').trim()
  if (reason === '' || reason.length > REASON_MAX)
    throw problems.invalid({ target_reason: text('must_be', { allowed: text('text_between', { min: 1, max: REASON_MAX }) }) })
  return { paused: true, reason }
}

function parseNote(values: FormValues): string {
  const note = readText(values, 'note').trim()
  if (note === '' || note.length > NOTE_MAX)
    throw problems.invalid({ note: text('must_be', { allowed: text('text_between', { min: 1, max: NOTE_MAX }) }) })
  return note
}
