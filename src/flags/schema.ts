import Type from 'typebox'

import { Id, visibleText } from '../http/schema/fields.ts'
import type { Subject } from './queries.ts'

export const MESSAGE_MAX = 1_000

export const NewFlag = Type.Object(
  {
    message: visibleText(MESSAGE_MAX, {
      description: 'What is wrong with the text. Only moderators read this message.',
      examples: ['This is an advertisement.'],
    }),
  },
  { title: 'NewFlag' },
)

export const FlagResponse = Type.Object(
  { flagged: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) },
  { title: 'Flag' },
)

export const flagParams = (type: Subject['type']) => Type.Object({ id: { ...Id, description: `The id of the ${type}.` } })
