import Type from 'typebox'
import { text } from '../errors/texts/text.ts'

export const ASSIGNEE_ALLOWED = text('user_id_or_null')

/** A form, which knows no null, sends an empty `assignee_id` for nobody. */
export const Assignment = Type.Object(
  {
    assignee_id: Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d*$' }, { type: 'null' }],
      'x-allowed': ASSIGNEE_ALLOWED,
      description: 'An employee of an organisation that looks after the issue, or null for nobody.',
      examples: [42],
    }),
  },
  { title: 'Assignment' },
)
