export const ON_ITS_WAY = 'If this is the confirmed address of an account, a mail is on its way to it.'
export const LINK_GONE = 'is unknown, used or older than an hour: ask for another link'
export const NOT_EQUAL = 'must equal password'
