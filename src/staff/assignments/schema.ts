import Type from 'typebox'

import { text } from '../../locales/texts.ts'

export const ASSIGNEE_ALLOWED = text('user_id_or_null')

/** A form cannot send null, so an empty `assignee_id` means the same. */
export const Assignment = Type.Object(
  {
    assignee_id: Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d*$' }, { type: 'null' }],
      'x-allowed': ASSIGNEE_ALLOWED,
      description: 'The id of an employee of a responsible organisation, or null to withdraw the assignment.',
      examples: [42],
    }),
  },
  { title: 'Assignment' },
)
