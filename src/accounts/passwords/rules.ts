import { text } from '../../locales/texts.ts'
import { STRONG_LENGTH } from './schema.ts'

export const RESET_REQUESTED = 'If this is the confirmed address of an account, a mail is on its way to it.'
export const RESET_LINK_INVALID = text('reset_link_expired')
export const STAFF_PASSWORD_SHORT = text('must_be', { allowed: text('a_text_between', STRONG_LENGTH) })
export const PASSWORDS_DIFFER = text('must_equal_password')

/** Returns whether staff may not have this password: the API allows residents shorter ones than staff. */
export const isTooShortForStaff = (password: string): boolean => [...password].length < STRONG_LENGTH.min
