import Type from 'typebox'

export const VoteAnswer = Type.Object({ vote: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) }, { title: 'Vote' })
