import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { LOCALE } from '../http/errors/text-language.ts'
import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { Id, nullable, stringEnum, Timestamp, urlLike, visibleText } from '../http/schema/fields.ts'
import { UserSummary } from '../users/schema.ts'

export const QUESTION_MAX = 1_000

export const Question = Type.Object(
  {
    id: { ...Id, examples: [117] },
    question: Type.String({ examples: ['Where can I drop off old paint?'] }),
    asker: UserSummary,
    locale: Type.String({ examples: ['en'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
    answer_count: Type.Integer({ description: 'Number of public answers.', examples: [2] }),
    popularity: Type.Integer({
      description: 'Number of public answers and of votes for them; lists are sorted by it.',
      examples: [9],
    }),
    accepted_answer_id: nullable(Id, { examples: [245] }),
    place: Type.Object(
      {
        id: { ...Id, examples: [8031] },
        name: Type.String({ examples: ['Denver'] }),
        url_name: Type.String({ examples: ['denver'] }),
        url: urlLike('/api/v2/places/8031'),
      },
      { title: 'QuestionPlace' },
    ),
    url: urlLike('/api/v2/questions/117'),
    html_url: urlLike('/questions/117'),
    answers_url: urlLike('/api/v2/questions/117/answers'),
    flag_url: urlLike('/api/v2/questions/117/flag'),
  },
  { title: 'Question' },
)
export type Question = Static<typeof Question>

export const QuestionParams = Type.Object({ id: { ...Id, description: 'The id of the question.', examples: [117] } })

export const QuestionPlaceParams = Type.Object({
  place_url_name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The `url_name` of a place of the type City.',
    examples: ['denver'],
  }),
})

const SUBSETS = ['answered', 'unanswered', ''] as const

export const ListQuestionsQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The question must contain all words; prefixes of words match.',
      examples: ['paint'],
    }),
  ),
  subset: Type.Optional(
    stringEnum(SUBSETS, {
      description: 'Questions with at least one answer, or with none; blank for both.',
      examples: ['unanswered'],
      'x-allowed': text('answered_or_not'),
    }),
  ),
})
export type ListQuestionsQuery = Static<typeof ListQuestionsQuery>

export const QuestionList = listResponse('questions', Question)

export const TextLocale = Type.Optional(
  nullable(Type.String({ pattern: LOCALE, maxLength: 11 }), {
    'x-allowed': text('language_tag'),
    description: 'Default: the language of `Accept-Language`, else that of your profile.',
    examples: ['en'],
  }),
)

export const NewQuestion = Type.Object(
  {
    question: visibleText(QUESTION_MAX, {
      examples: ['Where can I drop off old paint?'],
    }),
    locale: TextLocale,
  },
  { title: 'NewQuestion' },
)
