import Type from 'typebox'

export const VoteResponse = Type.Object({ vote: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) }, { title: 'Vote' })
