import Type, { type Static } from 'typebox'

import { Id, nullable, NullableTimestamp, Timestamp, urlLike, visibleText } from '../http/schema/fields.ts'
import { TextLocale } from '../questions/schema.ts'
import { UserSummary } from '../users/schema.ts'

export const ANSWER_MAX = 10_000

export const Answer = Type.Object(
  {
    id: { ...Id, examples: [245] },
    answer: Type.String({ examples: ['The recycling centre on Cherry Creek takes it on Saturdays.'] }),
    answerer: UserSummary,
    question_id: { ...Id, examples: [117] },
    locale: nullable(Type.String({ examples: ['en'] })),
    accepted_at: NullableTimestamp,
    total_votes: Type.Integer({ examples: [7] }),
    created_at: Timestamp,
    updated_at: Timestamp,
    url: urlLike('/api/v2/answers/245'),
    html_url: urlLike('/questions/117#answer-245'),
    question_url: urlLike('/api/v2/questions/117'),
    flag_url: urlLike('/api/v2/answers/245/flag'),
  },
  { title: 'Answer' },
)
export type Answer = Static<typeof Answer>

export const AnswerParams = Type.Object({ id: { ...Id, description: 'The id of the answer.', examples: [245] } })

export const AnswerList = Type.Object(
  {
    metadata: Type.Object({}, { description: 'Empty.' }),
    answers: Type.Array(Answer),
    errors: Type.Object({}, { description: 'Empty on success.' }),
  },
  { title: 'AnswerList' },
)

export const NewAnswer = Type.Object(
  {
    answer: visibleText(ANSWER_MAX, {
      examples: ['The recycling centre on Cherry Creek takes it on Saturdays.'],
    }),
    locale: TextLocale,
  },
  { title: 'NewAnswer' },
)
