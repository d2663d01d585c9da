import Type from 'typebox'

export const PendingReview = Type.Object(
  { metadata: Type.Object({ moderated: Type.Unsafe<true>({ type: 'boolean', const: true, examples: [true] }) }) },
  { title: 'Held', description: 'A moderator looks at it first; it appears when it is approved.' },
)
