import { text } from '../../locales/texts.ts'

export const RESET_REQUESTED = 'If this is the confirmed address of an account, a mail is on its way to it.'
export const RESET_LINK_INVALID = text('reset_link_expired')
export const PASSWORDS_DIFFER = text('must_equal_password')
