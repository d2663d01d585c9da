import Type from 'typebox'

import { text, type Text } from '../../locales/texts.ts'
import { EmailAddress } from '../../http/schema/mailbox.ts'
import { LinkToken } from '../emails/schema.ts'

export const textField = (allowedText: Text, options: Record<string, unknown>) =>
  Type.String({ 'x-allowed': allowedText, ...options })
export const Password = textField(text('a_text_between', { min: 4, max: 40 }), {
  minLength: 4,
  maxLength: 40,
  examples: ['correct horse'],
})
/** A password of the web pages, and of staff everywhere: longer than the least that the interface of the API allows. */
export const STRONG_LENGTH = { min: 8, max: 64 }
export const StrongPassword = textField(text('a_text_between', STRONG_LENGTH), {
  minLength: STRONG_LENGTH.min,
  maxLength: STRONG_LENGTH.max,
})
export const PasswordConfirmation = textField(text('password_once_more'), { maxLength: 200, examples: ['correct horse'] })

export const ForgottenPassword = Type.Object({ email: EmailAddress }, { title: 'ForgottenPassword' })

/** The response is the same for all addresses, because it must not reveal which ones have an account. */
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
