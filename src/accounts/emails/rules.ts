import { text } from '../../locales/texts.ts'

export const EMAILS_MAX = 10

/** Each change is mailed to the other addresses, so this also limits those mails without dropping any. */
export const ADDED_PER_DAY = 20

/** Security mails are sent for 7 days, may be 3 days late, and have links that are valid for 7 days. */
export const REMOVED_RETENTION_DAYS = 17

/** The text does not reveal whether another account has the address. */
export const EMAIL_TAKEN = text('email_taken')
export const TOO_MANY_EMAILS = text('too_many_emails', { max: EMAILS_MAX })
export const TOO_MANY_TODAY = text('too_many_emails_today', { max: ADDED_PER_DAY })
export const CONFIRM_PASSWORD_WRONG = text('adder_password_wrong')

export function findRemovalError(email: { readonly confirmed: boolean }, others: readonly { readonly confirmed: boolean }[]) {
  if (others.length === 0) return text('last_email_required')
  if (email.confirmed && !others.some(({ confirmed }) => confirmed)) return text('last_confirmed_email_required')
  return undefined
}
