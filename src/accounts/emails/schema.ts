import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import { Id } from '../../http/schema/fields.ts'
import { EmailAddress } from '../../http/schema/mailbox.ts'

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

export const NewEmail = Type.Object({ email: EmailAddress }, { title: 'NewEmail' })
export const EmailParams = Type.Object({ id: { ...Id, examples: [7], description: 'The id of one of your addresses.' } })

/** The schema accepts any text, because the handler explains an invalid token. */
export const LinkToken = Type.String({
  maxLength: 1_000,
  description: 'The token of the link in the mail.',
  'x-allowed': text('link_token'),
  examples: ['zsc1nFQzUEIrnbkZqvvXdpqEJ2oCJ1bE'],
})
export const Confirmation = Type.Object(
  {
    token: LinkToken,
    password: Type.String({
      maxLength: 500,
      description: 'The password of the account that added the address.',
      'x-allowed': text('adder_password'),
      examples: ['correct horse'],
    }),
  },
  { title: 'Confirmation' },
)
