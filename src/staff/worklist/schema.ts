import Type, { type Static } from 'typebox'
import { listResponse, CursorQuery } from '../../http/lists/pagination.ts'
import { commaList, Id, stringEnum, TimestampParameter } from '../../http/schema/fields.ts'
import { Issue } from '../../issues/schema.ts'
import { NullablePerson } from '../schema.ts'
import { lateKinds } from '../targets/conditions.ts'
import { WorkTarget } from '../targets/schema.ts'
import { outcomes } from '../../issue-lifecycle/status.ts'
import { ListIssuesQuery, sorts } from '../../issues/list/query.ts'
import { text } from '../../locales/texts.ts'

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

export const NOTE_WORDS_MAX = 10
const NOTE_SEARCH_MAX = 200

export const worklistSorts = [...sorts, 'target', 'priority', 'age'] as const

const { details: _details, 'fields[issue]': _fields, ...list } = ListIssuesQuery.properties
const { cursor: _cursor, ...parameters } = { ...CursorQuery.properties, ...list }

/** The filters of `GET /issues` and those of staff. */
export const WorklistQuery = Type.Object({
  ...parameters,
  sort: Type.Optional(
    stringEnum(worklistSorts, {
      default: 'created_at',
      description:
        '`target` begins with the next target, `priority` with the most urgent, then the oldest, `age` with the oldest; `distance` needs a point or an area with a centre.',
      examples: ['target'],
    }),
  ),
  sort_direction: Type.Optional(
    stringEnum(['ASC', 'DESC'], { description: 'The default is DESC, for `distance` and `target` ASC.', examples: ['DESC'] }),
  ),
  late: Type.Optional(
    commaList(stringEnum(lateKinds), {
      description: 'Issues that are late to be acknowledged or closed, or due within 24 hours.',
      examples: [['close']],
      'x-allowed': text('comma_list', { values: lateKinds.join(', ') }),
    }),
  ),
  priority: Type.Optional(
    commaList(stringEnum(['0', '1', '2', '3']), {
      description: '0 low, 1 normal, 2 high, 3 urgent.',
      examples: [['2', '3']],
      'x-allowed': text('comma_list', { values: '0, 1, 2, 3' }),
    }),
  ),
  assignee: Type.Optional(
    Type.String({
      pattern: '^(me|none|[1-9]\\d{0,9})$',
      description: 'The id of an employee, `me`, or `none` for issues without one.',
      examples: ['me'],
      'x-allowed': text('assignee_filter'),
    }),
  ),
  note: Type.Optional(
    Type.String({
      maxLength: NOTE_SEARCH_MAX,
      pattern: '[\\p{L}\\p{N}]',
      description: 'Issues with an internal note that has all these words or words that begin with them.',
      examples: ['contractor'],
      'x-allowed': text('a_text_up_to', { max: NOTE_SEARCH_MAX }),
    }),
  ),
  number: Type.Optional({
    ...Id,
    description: 'The number (id) of one issue.',
  }),
  waiting_since_before: Type.Optional(
    TimestampParameter('Selects open and acknowledged issues that were reported, or reopened, before the value.'),
  ),
  outcome: Type.Optional(
    commaList(stringEnum(outcomes), {
      description: 'Outcomes of closings.',
      examples: [['passed_on']],
      'x-allowed': text('comma_list', { values: outcomes.join(', ') }),
    }),
  ),
})
export type WorklistQuery = Static<typeof WorklistQuery>

const workFields = Object.keys(WorkIssue.properties)

export const ListWorkQuery = Type.Object({
  ...WorklistQuery.properties,
  'fields[issue]': Type.Optional(
    commaList(stringEnum(workFields), {
      description: 'Only these keys of each issue.',
      examples: [['id', 'priority', 'target']],
      'x-allowed': text('comma_list', { values: workFields.join(', ') }),
    }),
  ),
})
