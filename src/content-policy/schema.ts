import Type, { type Static } from 'typebox'

/** The name `moderated` is fixed by the interface: it is true in a 202, whose content is held, and false in a published comment. */
export const Held = Type.Object(
  { metadata: Type.Object({ moderated: Type.Unsafe<true>({ type: 'boolean', const: true, examples: [true] }) }) },
  { title: 'Held', description: 'A moderator reviews it first; it is published once it is approved.' },
)

/** The body of each 202. */
export const HELD = { metadata: { moderated: true } } as const satisfies Static<typeof Held>

export const subjectTypes = ['issue', 'comment', 'question', 'answer', 'user'] as const
export type SubjectType = (typeof subjectTypes)[number]
