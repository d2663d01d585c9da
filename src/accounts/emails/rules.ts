/** More than anybody has; each may be written to. */
export const EMAILS_MAX = 10

/** Each addition, confirmation and removal is mailed to the other addresses: bounding the additions bounds these mails, and suppresses none. */
export const ADDED_A_DAY = 20

/** The last link for a removed address ends after 17 days: a week of mails, which may be three days late, each with a link for a week. */
export const REMOVED_KEPT_DAYS = 17

/** What is wrong with an address that cannot be added. The text does not tell whether another account has it. */
export const EMAIL_TAKEN = 'cannot be added: use another one, or log in if it is yours'
export const TOO_MANY_EMAILS = `cannot be added: you have ${EMAILS_MAX} addresses, which is the most`
export const TOO_MANY_TODAY = `cannot be added: ${ADDED_A_DAY} addresses were added within a day, which is the most`
export const CONFIRM_PASSWORD_WRONG = 'must be the password of the account that added the address'

/** Why an address stays; undefined where it may go. `others` are the further addresses of the account. */
export function whyKept(email: { readonly confirmed: boolean }, others: readonly { readonly confirmed: boolean }[]) {
  if (others.length === 0) return 'the only address of an account cannot be deleted: add another one first'
  if (email.confirmed && !others.some(({ confirmed }) => confirmed))
    return 'the last confirmed address of an account cannot be deleted: confirm another one first'
  return undefined
}
