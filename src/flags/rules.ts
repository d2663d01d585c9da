export const FLAGS_FOR_REVIEW = 3
/** Minimum age of an account at the time of its flag, in seconds. Flags from newer accounts never count, against mass registration. */
export const ACCOUNT_AGE_S = 24 * 60 * 60
