import Type from 'typebox'

/** As the interface writes it: the caller follows the issue now. */
export const FollowAnswer = Type.Object(
  { follow: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) },
  { title: 'Follow' },
)
