import Type, { type Static } from 'typebox'

import { COMMENT_MAX, NewClosing } from '../../comments/new-comment.ts'
import { Id, nullable, NullableTimestamp, stringEnum, Timestamp, visibleText } from '../../http/schema/fields.ts'
import { employeeOutcomes } from '../../issue-lifecycle/status.ts'
import { transitionNames } from '../../issue-lifecycle/transitions.ts'
import { text } from '../../locales/texts.ts'
import { WorklistQuery } from '../worklist/schema.ts'

export const BULK_MAX = 1_000

const bulkStates = ['preview', 'running', 'done', 'undoing', 'undone'] as const

/** The states of an issue in a run. `failed` could not be changed, `left` could not be changed back. */
export const bulkIssueStates = ['pending', 'refused', 'done', 'failed', 'undone', 'left'] as const
export type BulkIssueState = (typeof bulkIssueStates)[number]

export const BulkChange = Type.Object(
  {
    assignee_id: Type.Optional(nullable(Id, { description: 'An employee, or null to withdraw the assignment.' })),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, examples: [2] })),
    request_type_id: Type.Optional(
      nullable(Id, { description: 'A type of the same organisation or of the community; null for other.' }),
    ),
    transition: Type.Optional(stringEnum(transitionNames, { description: 'Needs `comment`.' })),
    comment: Type.Optional(
      visibleText(COMMENT_MAX, {
        examples: ['The crew has repaired the street.'],
      }),
    ),
    outcome: Type.Optional(stringEnum(employeeOutcomes, { description: 'Only with the transition `close`.' })),
    passed_on_to: NewClosing.properties.passed_on_to,
    duplicate_of: NewClosing.properties.duplicate_of,
  },
  {
    title: 'BulkChange',
    description: 'One of `assignee_id`, `priority`, `request_type_id` and `transition`.',
    examples: [{ priority: 2 }],
  },
)
export type BulkChange = Static<typeof BulkChange>

export const BulkQuery = Type.Object(
  { organization_id: Id, ...WorklistQuery.properties },
  {
    title: 'BulkQuery',
    description: `The filters of \`GET /organizations/:id/issues\`. They select all issues of the list, at most ${BULK_MAX}.`,
    examples: [{ organization_id: 3, status: ['open'], priority: ['0'] }],
  },
)

export const NewBulkRun = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: BULK_MAX,
        'x-allowed': text('bulk_ids', { max: BULK_MAX }),
        description: 'The issues, without `query`.',
        examples: [[4711]],
      }),
    ),
    query: Type.Optional(BulkQuery),
    change: BulkChange,
  },
  { title: 'NewBulkRun' },
)

export const BulkParams = Type.Object({ id: { ...Id, description: 'The id of the bulk run.' } })
export const BulkStart = Type.Object(
  { hash: Type.String({ maxLength: 64, description: 'The `hash` of the preview.', examples: ['5f2d…'] }) },
  { title: 'BulkStart' },
)

const Reason = Type.Object({ id: Id, why: Type.String({ examples: ['has changed since'] }) }, { title: 'BulkReason' })

export const BulkRun = Type.Object(
  {
    id: Id,
    state: stringEnum(bulkStates),
    change: BulkChange,
    count: Type.Integer({ description: 'Issues that the run changes.', examples: [30] }),
    counts: Type.Object(Object.fromEntries(bulkIssueStates.map((state) => [state, Type.Integer({ examples: [0] })])), {
      description: 'Issues by their state in the run.',
    }),
    refused: Type.Array(Reason, { description: 'Issues that the caller may not change so, or that had changed.' }),
    left: Type.Array(Reason, { description: 'Issues that the undo has left, because they changed after the run.' }),
    mails: Type.Integer({ description: 'Mails that are sent after `undo_until`.', examples: [42] }),
    hash: Type.String({ description: 'Send it to `POST /bulk/:id/run`.', examples: ['5f2d…'] }),
    created_at: Timestamp,
    undo_until: NullableTimestamp,
    done_at: NullableTimestamp,
    undone_at: NullableTimestamp,
  },
  { title: 'BulkRun' },
)
export type BulkRun = Static<typeof BulkRun>
