import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { Answer, ANSWER_MAX } from '../answers/schema.ts'
import { COMMENT_MAX } from '../comments/new-comment.ts'
import { Comment } from '../comments/schema.ts'
import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { Id, nullable, NullableTimestamp, stringEnum, Timestamp, urlLike, visibleText } from '../http/schema/fields.ts'
import { ADDRESS_MAX, DESCRIPTION_MAX, Issue, SUMMARY_MAX } from '../issues/schema.ts'
import { transitionNames } from '../issue-lifecycle/transitions.ts'
import { IssueRating, IssueStatus } from '../issue-lifecycle/status.ts'
import { Question, QUESTION_MAX } from '../questions/schema.ts'
import { NAME_LENGTH, NAME_PATTERN } from '../users/rules.ts'
import { NullableUserSummary, UserSummary } from '../users/schema.ts'
import { itemStates } from './item-queries.ts'
import { subjectTypes } from '../content-policy/schema.ts'

const ModeratedIssue = Type.Object(
  {
    ...Issue.properties,
    questions: Type.Array(
      Type.Object({
        question: Type.String({ examples: ['How wide is it?'] }),
        answer: Type.String({ examples: ['About 30 cm'] }),
      }),
    ),
  },
  { title: 'ModeratedIssue' },
)

export type ModeratedIssue = Static<typeof ModeratedIssue>

const CommentedIssue = Type.Object(
  {
    id: Id,
    summary: Type.String({ examples: ['Pothole at the crossing'] }),
    status: IssueStatus,
    rating: IssueRating,
    html_url: urlLike('/issues/4711'),
  },
  { title: 'CommentedIssue' },
)

const ModeratedComment = Type.Object(
  {
    ...Comment.properties,
    issue: nullable(CommentedIssue, { description: 'Null if the caller may not read it.' }),
  },
  { title: 'ModeratedComment' },
)

export type ModeratedComment = Static<typeof ModeratedComment>

const ModeratedQuestion = Type.Object({ ...Question.properties }, { title: 'ModeratedQuestion' })
export type ModeratedQuestion = Static<typeof ModeratedQuestion>

const AnsweredQuestion = Type.Object(
  {
    id: { ...Id, examples: [117] },
    question: Question.properties.question,
    html_url: Question.properties.html_url,
    place: Question.properties.place,
  },
  { title: 'AnsweredQuestion' },
)

const ModeratedAnswer = Type.Object(
  {
    ...Answer.properties,
    question: nullable(AnsweredQuestion, { description: 'Null if the caller may not read it.' }),
  },
  { title: 'ModeratedAnswer' },
)

export type ModeratedAnswer = Static<typeof ModeratedAnswer>

const ModeratedUser = Type.Object({ ...UserSummary.properties }, { title: 'ModeratedUser' })
export type ModeratedUser = Static<typeof ModeratedUser>

export const ModerationItem = Type.Object(
  {
    id: { ...Id, examples: [12] },
    subject_type: stringEnum(subjectTypes, { examples: ['issue'] }),
    subject: Type.Unsafe<ModeratedIssue | ModeratedComment | ModeratedQuestion | ModeratedAnswer | ModeratedUser | null>({
      anyOf: [ModeratedIssue, ModeratedComment, ModeratedQuestion, ModeratedAnswer, ModeratedUser, { type: 'null' }],
      description: 'The current state, as the caller may see it; null if it was deleted.',
    }),
    reasons: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The reasons for the review; null for the author.',
      examples: [['words']],
    }),
    original: Type.Record(Type.String(), Type.Unsafe<string | null>({ type: ['string', 'null'] }), {
      description: 'The texts as the author wrote them, by the names of their fields.',
      examples: [{ summary: 'Pothole at the crossing', description: null, address: '1437 Bannock St, Denver, CO' }],
    }),
    requested_move: nullable(stringEnum(transitionNames), {
      enum: [...transitionNames, null],
      description: 'The status change that the comment requests; it is checked again at the approval.',
      examples: [null],
    }),
    state: stringEnum(itemStates, { examples: ['held'] }),
    decided_by: NullableUserSummary,
    decided_at: NullableTimestamp,
    created_at: Timestamp,
    note: nullable(Type.String(), { description: 'The result of the automatic checks; null for the author.', examples: [null] }),
    rejection_reason: nullable(Type.String(), { description: 'The reason that the author receives.', examples: [null] }),
    approve_url: nullable(urlLike('/api/v2/moderation/12/approve'), {
      description: 'Null if the caller may not decide, for example on their own texts.',
    }),
    reject_url: nullable(urlLike('/api/v2/moderation/12/reject'), { description: 'Null if the caller may not decide.' }),
  },
  { title: 'ModerationItem' },
)

export type ModerationItem = Static<typeof ModerationItem>

export const ModerationList = listResponse('items', ModerationItem)

export const ListModerationQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(stringEnum(itemStates, { default: 'held', description: 'The state of the item.', examples: ['held'] })),
  subject_type: Type.Optional(stringEnum(subjectTypes, { description: 'The type of the subject.', examples: ['comment'] })),
})

export const ModerationParams = Type.Object({ id: { ...Id, description: 'The id of the moderation item.' } })

const optionalText = (max: number, description: string, example: string) =>
  Type.Optional(visibleText(max, { description, examples: [example] }))

export const Approval = Type.Object(
  {
    summary: optionalText(SUMMARY_MAX, 'Replaces the summary of a report.', 'Pothole at the crossing'),
    description: Type.Optional(
      nullable(Type.String({ maxLength: DESCRIPTION_MAX }), {
        description: 'Replaces the description of a report; null or empty removes it.',
        examples: ['About 30 cm wide.'],
      }),
    ),
    address: optionalText(ADDRESS_MAX, 'Replaces the address of a report.', '1437 Bannock St, Denver, CO'),
    comment: optionalText(COMMENT_MAX, 'Replaces the text of a comment.', 'It is still there, and deeper.'),
    question: optionalText(QUESTION_MAX, 'Replaces the text of a question.', 'Where can I bring old paint?'),
    answer: optionalText(ANSWER_MAX, 'Replaces the text of an answer.', 'To the yard on Middletown Avenue, on Saturdays.'),
    name: Type.Optional(
      Type.String({
        pattern: NAME_PATTERN,
        'x-allowed': text('a_text_between', NAME_LENGTH),
        description: 'Replaces the name of a user.',
        examples: ['Ada Park'],
      }),
    ),
  },
  { title: 'Approval' },
)

export type Approval = Static<typeof Approval>

export const REASON_MAX = 1_000

export const Rejection = Type.Object(
  {
    reason: Type.Optional(
      nullable(Type.String({ maxLength: REASON_MAX }), {
        description: 'The reason that the author receives.',
        examples: ['Please write it again without the name of your neighbour.'],
      }),
    ),
  },
  { title: 'Rejection' },
)

export type Rejection = Static<typeof Rejection>
