import Type, { type Static } from 'typebox'

import { text, type Text } from '../../locales/texts.ts'
import { TimestampParameter, Id, NullableTimestamp, nullable, Timestamp, UnreadableBody } from '../../http/schema/fields.ts'

const CREDENTIAL_MAX = 500
const credential = (allowedText: Text, example: string) =>
  Type.String({ minLength: 1, maxLength: CREDENTIAL_MAX, 'x-allowed': allowedText, examples: [example] })
const TokenName = Type.String({ maxLength: 100, examples: ['Field app'] })

export const NewToken = Type.Object(
  {
    email: Type.Optional(credential(text('email_address_up_to', { max: CREDENTIAL_MAX }), 'ada@example.org')),
    password: Type.Optional(credential(text('password_up_to', { max: CREDENTIAL_MAX }), 'correct horse')),
    name: Type.Optional(TokenName),
    expires_at: Type.Optional({
      ...TimestampParameter('When the token ends; never, where it is left out.'),
      examples: ['2099-12-31T00:00:00Z'],
    }),
  },
  { title: 'NewToken' },
)
export type NewToken = Static<typeof NewToken>

const properties = {
  id: { ...Id, examples: [7] },
  name: nullable(Type.String({ examples: ['Field app'] })),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
}

const ListedToken = Type.Object(properties, { title: 'ListedToken' })
export const TokenList = Type.Object(
  {
    errors: Type.Object({}, { examples: [{}] }),
    metadata: Type.Object({}, { examples: [{}] }),
    tokens: Type.Array(ListedToken),
  },
  { title: 'TokenList' },
)
export const CreatedToken = Type.Object(
  {
    ...properties,
    token: Type.String({ description: 'Shown only once. Send it as `Authorization: Bearer`.', examples: ['fxp_…'] }),
  },
  { title: 'CreatedToken' },
)
export const TokenParams = Type.Object({ id: { ...Id, examples: [7], description: 'The id of one of your tokens.' } })

/** RFC 6749, 4.3.2: parameters must not be repeated, and unknown ones are ignored. */
export const PasswordGrant = Type.Object(
  {
    grant_type: Type.Optional(Type.Unknown({ description: 'Must be `password`.', examples: ['password'] })),
    username: Type.Optional(Type.Unknown({ description: 'An e-mail address of the account.', examples: ['ada@example.org'] })),
    password: Type.Optional(Type.Unknown({ examples: ['correct horse'] })),
  },
  { title: 'PasswordGrant' },
)
/** RFC 6749, 5.1. */
export const AccessToken = Type.Object(
  { access_token: Type.String({ examples: ['fxp_…'] }), token_type: Type.String({ examples: ['Bearer'] }) },
  { title: 'AccessToken' },
)
/** RFC 6749, 5.2. */
const Refusal = Type.Object(
  {
    error: Type.String({ examples: ['invalid_grant'] }),
    error_description: Type.String({ examples: ['The credentials are wrong: check them and try again.'] }),
  },
  { title: 'GrantRefusal' },
)
export const GrantRefusal = Type.Unsafe<Static<typeof Refusal>>({ anyOf: [Refusal, UnreadableBody] })
