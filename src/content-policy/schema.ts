import Type from 'typebox'

export const PendingReview = Type.Object(
  { metadata: Type.Object({ moderated: Type.Unsafe<true>({ type: 'boolean', const: true, examples: [true] }) }) },
  { title: 'PendingReview', description: 'A moderator reviews it first; it is published once it is approved.' },
)
