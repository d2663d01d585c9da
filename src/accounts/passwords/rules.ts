import { text } from '../../errors/texts/text.ts'
export const ON_ITS_WAY = 'If this is the confirmed address of an account, a mail is on its way to it.'
export const LINK_GONE = text('reset_link_gone')
export const NOT_EQUAL = text('must_equal_password')
