/** So many accounts that are old enough put something before a moderator. */
export const FLAGS_FOR_REVIEW = 3
/** How old an account must be at the moment of its flag, in seconds, for that flag ever to count: who registers ten to flag waits a day. */
export const ACCOUNT_AGE_S = 24 * 60 * 60
