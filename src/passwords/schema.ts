import Type from 'typebox'

import { EmailAddress, LinkToken } from '../emails/schema.ts'
import { Registration } from '../users/account-schema.ts'

export const ForgottenPassword = Type.Object({ email: EmailAddress }, { title: 'ForgottenPassword' })

/** The same for everybody: it must not tell who has an account. */
export const ResetRequested = Type.Object(
  { message: Type.String({ examples: ['If this is the confirmed address of an account, a mail is on its way to it.'] }) },
  { title: 'ResetRequested' },
)

export const PasswordReset = Type.Object(
  {
    token: LinkToken,
    password: Registration.properties.password,
    password_confirmation: Registration.properties.password_confirmation,
  },
  { title: 'PasswordReset' },
)
