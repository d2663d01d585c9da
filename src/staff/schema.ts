import Type, { type Static } from 'typebox'

import { capabilities } from '../http/identity/roles.ts'
import { Id, nullable, NullableTimestamp, stringEnum, Timestamp, visibleText } from '../http/schema/fields.ts'
import { IssueStatus } from '../issue-lifecycle/status.ts'
import { text } from '../locales/texts.ts'
import { IssueTarget } from './targets/schema.ts'
import { NullableTransfer, TransferText } from './transfers/schema.ts'

export const NOTE_MAX = 10_000
/** The first is low, the last urgent. */
export const priorities = [0, 1, 2, 3] as const
/** Notes and log entries of an issue in one response. */
export const STAFF_ENTRIES_MAX = 500

const Person = Type.Object({ id: Id, name: Type.String({ examples: ['Ada Park'] }) }, { title: 'StaffPerson' })
export const NullablePerson = Type.Unsafe<Static<typeof Person> | null>({ anyOf: [Person, { type: 'null' }] })

export const Note = Type.Object(
  {
    id: Id,
    issue_id: Id,
    text: Type.String({ examples: ['Called the contractor: they come on Monday.'] }),
    author: NullablePerson,
    created_at: Timestamp,
    edited_at: NullableTimestamp,
  },
  { title: 'Note' },
)
export type Note = Static<typeof Note>

export const LogEntry = Type.Object(
  {
    kind: Type.String({
      description: 'What changed: `status`, `assignee`, `priority`, `type`, `transfer`, `target`, and others of later versions.',
      examples: ['priority'],
    }),
    version: nullable(Id, { description: 'The version of the issue after the change.' }),
    at: Timestamp,
    actor: NullablePerson,
    organization: nullable(Type.String({ examples: ['Denver Public Works'] })),
    before: nullable(Type.Unsafe<object>({ type: 'object', additionalProperties: true, examples: [{ priority: 1 }] })),
    after: nullable(Type.Unsafe<object>({ type: 'object', additionalProperties: true, examples: [{ priority: 3 }] })),
    is_public: Type.Boolean(),
    source: nullable(Type.String({ description: 'The interface: web, api, open311 or job.', examples: ['web'] })),
  },
  { title: 'LogEntry' },
)

export const StaffIssue = Type.Object(
  {
    id: Id,
    version: Type.Integer({ description: 'Send it as `If-Match: "<version>"` with changes of the issue.', examples: [4] }),
    status: IssueStatus,
    outcome: nullable(Type.String({ examples: ['fixed'] })),
    priority: Type.Integer({ description: '0 low, 1 normal, 2 high, 3 urgent.', examples: [1] }),
    request_type_id: nullable(Id),
    assignee: NullablePerson,
    capabilities: Type.Array(stringEnum(capabilities), { description: 'What the caller may do with this issue.' }),
    target: Type.Unsafe<IssueTarget | null>({ anyOf: [IssueTarget, { type: 'null' }] }),
    transfer: NullableTransfer,
    notes: Type.Array(Note, { description: `Oldest first, the newest ${STAFF_ENTRIES_MAX}.` }),
    log: Type.Array(LogEntry, { description: `Newest first, at most ${STAFF_ENTRIES_MAX}.` }),
  },
  { title: 'StaffIssue' },
)
export type StaffIssue = Static<typeof StaffIssue>

export const NewNote = Type.Object(
  {
    text: visibleText(NOTE_MAX, {
      examples: ['Called the contractor: they come on Monday.'],
    }),
  },
  { title: 'NewNote' },
)

export const NoteParams = Type.Object({
  id: { ...Id, description: 'The id of the issue.' },
  note_id: { ...Id, description: 'The id of the note.' },
})

export const PriorityChange = Type.Object(
  { priority: Type.Integer({ minimum: 0, maximum: 3, examples: [2] }) },
  { title: 'PriorityChange' },
)

/** A form cannot send null, so `other` means the same. */
export const TypeChange = Type.Object(
  {
    request_type_id: Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^(\\d+|other)$' }, { type: 'null' }],
      'x-allowed': text('request_type_or_other'),
      description: 'The id of a request type, or null or `other` for a report of an unnamed kind.',
      examples: [12],
    }),
    reason: Type.Optional({ ...TransferText, description: 'For the receiver, if the type is one of another organisation.' }),
  },
  { title: 'TypeChange' },
)
