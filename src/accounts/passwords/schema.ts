import Type from 'typebox'

import { EmailAddress, LinkToken } from '../emails/schema.ts'

export const text = (allowed: string, options: Record<string, unknown>) => Type.String({ 'x-allowed': allowed, ...options })
export const Password = text('a text of 4 to 40 characters', { minLength: 4, maxLength: 40, examples: ['correct horse'] })
export const PasswordConfirmation = text('the password once more', { maxLength: 200, examples: ['correct horse'] })

export const ForgottenPassword = Type.Object({ email: EmailAddress }, { title: 'ForgottenPassword' })

/** The same for everybody: it must not tell who has an account. */
export const ResetRequested = Type.Object(
  { message: Type.String({ examples: ['If this is the confirmed address of an account, a mail is on its way to it.'] }) },
  { title: 'ResetRequested' },
)

export const PasswordReset = Type.Object(
  {
    token: LinkToken,
    password: Password,
    password_confirmation: PasswordConfirmation,
  },
  { title: 'PasswordReset' },
)
