/** More than anybody has; each may be written to. */
export const EMAILS_MAX = 10

/**
 * For so long an unconfirmed address is kept for whoever claimed it first, as long as the link in its mail works (jobs/mails/mails.ts).
 * Then others may claim it, too: the latest claim logs in (src/http/access-queries.ts), and whoever confirms it has it.
 */
export const CLAIM_DAYS = 3

/** What is wrong with an address that cannot be added. Whether somebody else has it is nobody's business, so the text fits all cases. */
export const EMAIL_TAKEN = 'cannot be added: use another one, or log in if it is yours'
export const TOO_MANY_EMAILS = `cannot be added: you have ${EMAILS_MAX} addresses, which is the most`

/** Why an address stays; undefined where it may go. `others` are the further addresses of the account. */
export function whyKept(email: { readonly confirmed: boolean }, others: readonly { readonly confirmed: boolean }[]) {
  if (others.length === 0) return 'the only address of an account cannot be deleted: add another one first'
  if (email.confirmed && !others.some(({ confirmed }) => confirmed))
    return 'the last confirmed address of an account cannot be deleted: confirm another one first'
  return undefined
}
