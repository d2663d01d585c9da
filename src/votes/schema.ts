import Type from 'typebox'

/** As the interface writes it: what the caller's vote for the issue is now. */
export const VoteAnswer = Type.Object({ vote: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) }, { title: 'Vote' })
