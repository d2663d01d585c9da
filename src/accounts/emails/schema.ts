import Type, { type Static } from 'typebox'

import { Id } from '../../http/schema/fields.ts'

export const Email = Type.Object(
  {
    id: { ...Id, examples: [7] },
    confirmed: Type.Boolean({ examples: [false] }),
    email: Type.String({ examples: ['ada@example.org'] }),
  },
  { title: 'Email' },
)
export type Email = Static<typeof Email>

export const EmailList = Type.Object(
  {
    emails: Type.Array(Email),
    errors: Type.Object({}, { examples: [{}] }),
    metadata: Type.Object({}, { examples: [{}] }),
  },
  { title: 'EmailList' },
)

/**
 * What goes into an envelope without quotes; a list of addresses, or a name before it, is none. Blanks around it do not count.
 */
export const EmailAddress = Type.String({
  pattern: '^\\s*[^\\s@<>()\\[\\],;:\\\\"]{1,64}@[^\\s@<>()\\[\\],;:\\\\"]{1,190}\\s*$',
  format: 'mailbox',
  'x-allowed': 'an e-mail address',
  examples: ['ada@example.org'],
})

export const NewEmail = Type.Object({ email: EmailAddress }, { title: 'NewEmail' })
export const EmailParams = Type.Object({ id: { ...Id, examples: [7], description: 'The id of an address of yours.' } })

/** Of a link in a mail; any text, since a wrong one is answered with what to do next. */
export const LinkToken = Type.String({
  maxLength: 1_000,
  description: 'The token of the link in the mail.',
  'x-allowed': 'the token of a link that we sent',
  examples: ['zsc1nFQzUEIrnbkZqvvXdpqEJ2oCJ1bE'],
})
export const Confirmation = Type.Object(
  {
    token: LinkToken,
    password: Type.String({
      maxLength: 500,
      description: 'Of the account that added the address.',
      'x-allowed': 'the password of the account that added the address',
      examples: ['correct horse'],
    }),
  },
  { title: 'Confirmation' },
)
