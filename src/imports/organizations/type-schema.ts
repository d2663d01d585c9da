import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum } from '../../http/schema/fields.ts'
import { categories } from '../../issues/categories.ts'
import { languages, text } from '../../locales/texts.ts'
import { questionTypes } from '../../request-types/schema.ts'

const Translations = nullable(
  Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'Texts in further languages, as in the organisation file.',
    examples: [{ es: { title: 'Bache' } }],
  }),
)

const Question = Type.Object(
  {
    id: Id,
    primary_key: nullable(Type.String({ description: 'summary, description, issue_image, offensive, or null.' })),
    question: Type.String({ examples: ['How wide is it?'] }),
    question_type: stringEnum(questionTypes),
    response_required: Type.Boolean(),
    answer_kept_private: Type.Boolean(),
    select_values: nullable(
      Type.Unsafe<object[]>({ type: 'array', items: Type.Object({ key: Type.String(), name: Type.String() }) }),
    ),
    translations: Translations,
    active: Type.Boolean({ description: 'False once it is retired. Old issues keep the text that was asked.' }),
  },
  { title: 'StaffQuestion' },
)

export const StaffRequestType = Type.Object(
  {
    id: Id,
    title: Type.String({ examples: ['Pothole'] }),
    language: stringEnum(languages),
    translations: Translations,
    category: Type.String({ examples: ['pothole'] }),
    position: Type.Integer({ examples: [0] }),
    active: Type.Boolean(),
    is_other: Type.Boolean(),
    questions: Type.Array(Question),
  },
  { title: 'StaffRequestType' },
)
export type StaffRequestType = Static<typeof StaffRequestType>

export const StaffRequestTypeList = Type.Object(
  { errors: Type.Object({}), metadata: Type.Object({}), request_types: Type.Array(StaffRequestType) },
  { title: 'StaffRequestTypeList' },
)

/** The handler checks the document as the import does, and reports all errors by their paths. */
export const RequestTypeDocument = Type.Object(
  {
    title: Type.Optional(Type.Unsafe<unknown>({ description: 'At most 200 characters.', examples: ['Pothole'] })),
    category: Type.Optional(Type.Unsafe<unknown>({ description: `One of ${categories.join(', ')}.`, examples: ['pothole'] })),
    position: Type.Optional(Type.Unsafe<unknown>({ description: 'The order in the form.', examples: [0] })),
    translations: Type.Optional(Type.Unsafe<unknown>({ examples: [{ es: { title: 'Bache' } }] })),
    active: Type.Optional(Type.Boolean({ description: 'False retires the type: no new report can have it.' })),
    is_other: Type.Optional(
      Type.Boolean({
        description:
          'True at the creation: the type for reports of an unnamed kind, which has its own texts and questions. It can only be retired.',
        'x-allowed': text('true_or_false'),
      }),
    ),
    questions: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'The whole list, in its order, as in the organisation file (docs/organizations.md). A question keeps its id by its primary_key or its text; missing ones are retired. Without the field, all stay.',
        examples: [[{ question: 'How wide is it?', question_type: 'text' }]],
      }),
    ),
  },
  { title: 'RequestTypeDocument' },
)
