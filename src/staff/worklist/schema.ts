import Type, { type Static } from 'typebox'

import { listResponse } from '../../http/lists/pagination.ts'
import { nullable, NullableTimestamp } from '../../http/schema/fields.ts'
import { Issue } from '../../issues/schema.ts'
import { NullablePerson } from '../schema.ts'

const nullableEnum = <const Values extends readonly string[]>(values: Values, options: object) =>
  Type.Unsafe<Values[number] | null>({ type: ['string', 'null'], enum: [...values, null], ...options })

export const WorkTarget = Type.Object(
  {
    acknowledge_by: NullableTimestamp,
    close_by: NullableTimestamp,
    paused_at: NullableTimestamp,
    reason: nullable(Type.String({ examples: ['Waits for the contractor.'] })),
    due: nullableEnum(['acknowledge', 'close'], { description: 'The next step; null if none is due.', examples: ['close'] }),
    due_at: NullableTimestamp,
    state: nullableEnum(['late', 'soon', 'due', 'paused'], { examples: ['soon'] }),
  },
  { title: 'WorkTarget' },
)

export const WorkIssue = Type.Object(
  {
    ...Issue.properties,
    version: Type.Integer({ description: 'Send it as `If-Match: "<version>"` with changes of the issue.', examples: [4] }),
    priority: Type.Integer({ description: '0 low, 1 normal, 2 high, 3 urgent.', examples: [1] }),
    assignee: NullablePerson,
    vote_count: Type.Integer({ examples: [2] }),
    notes_count: Type.Integer({ examples: [1] }),
    target: Type.Unsafe<Static<typeof WorkTarget> | null>({ anyOf: [WorkTarget, { type: 'null' }] }),
  },
  { title: 'WorkIssue' },
)
export type WorkIssue = Static<typeof WorkIssue>

const SparseWorkIssueList = {
  ...listResponse(
    'issues',
    Type.Partial(WorkIssue, { title: 'SparseWorkIssue', description: 'Only the keys that `fields[issue]` names.' }),
  ),
  title: 'SparseWorkIssueList',
}
export const WorkIssueList = { ...listResponse('issues', WorkIssue), title: 'WorkIssueList', 'x-alternative': SparseWorkIssueList }
