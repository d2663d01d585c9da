import type { Sql } from '../database/database.ts'
import type { StoredEvent } from '../outbox/queries.ts'
import type { LeasedAccountMail, MailedToken } from '../mail/queries.ts'
import {
  addressIdsWithLink,
  listedAddresses,
  otherSecurityAddresses,
  trustedAddress,
  unconfirmedAddress,
} from './recipients/account-mail-recipients.ts'
import type { Subscription } from '../mail/unsubscribe-token.ts'
import type { eventHandlers, AccountMailEvent } from '../outbox/event-types.ts'
import { REVERT_DAYS } from '../mail/trusted-address.ts'
import { confirmEmail } from './templates/confirm-email.ts'
import { emailAdded, emailChangeReverted, emailConfirmed, emailRemoved } from './templates/email-changes.ts'
import { passwordChanged } from './templates/password-changed.ts'
import { resetPassword } from './templates/reset-password.ts'
import type { AccountMailTexts } from './templates/composed-mail.ts'

export interface AccountMail {
  readonly recipients: (event: StoredEvent) => Sql
  readonly within_s: number
  /** The token works once and expires. If `onlyFor` is present, only the addresses with these ids get the link. */
  readonly link?: Pick<MailedToken, 'purpose' | 'lifetime_s'> & {
    readonly path: (token: string) => string
    readonly onlyFor?: (event: StoredEvent) => readonly number[]
  }
  readonly page: '/account' | '/password/forgot'
  readonly texts: AccountMailTexts
  readonly unsubscribes: (mail: LeasedAccountMail) => Subscription
}

/** Account mails cannot be turned off, so their header ends the notifications. */
const allNotifications = ({ user_id }: LeasedAccountMail): Subscription => ({ kind: 'all', user_id })

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The texts state the lifetimes of the links. */
const confirmationMail: AccountMail = {
  recipients: unconfirmedAddress,
  within_s: 3 * DAY_S,
  link: { purpose: 'confirm_email', lifetime_s: 3 * DAY_S, path: (token) => `/emails/confirm?token=${token}` },
  page: '/account',
  texts: confirmEmail,
  // The owner of the address may have no account here.
  unsubscribes: ({ email_id, address_hash }) => ({ kind: 'address', email_id, address_hash }),
}

const emailChangeMail = (texts: AccountMailTexts): AccountMail => ({
  recipients: listedAddresses,
  within_s: 3 * DAY_S,
  link: {
    purpose: 'revert_email_change',
    lifetime_s: REVERT_DAYS * DAY_S,
    path: (token) => `/emails/revert?token=${token}`,
    onlyFor: addressIdsWithLink,
  },
  page: '/account',
  texts,
  unsubscribes: allNotifications,
})

export const accountMails: Readonly<Record<AccountMailEvent, AccountMail>> = {
  'email.added': confirmationMail,
  'email.confirmation_requested': confirmationMail,
  'email.reset_requested': {
    recipients: trustedAddress,
    within_s: HOUR_S,
    link: { purpose: 'reset_password', lifetime_s: HOUR_S, path: (token) => `/password/reset?token=${token}` },
    page: '/password/forgot',
    texts: resetPassword,
    unsubscribes: allNotifications,
  },
  'user.email_added': emailChangeMail(emailAdded),
  'user.email_confirmed': emailChangeMail(emailConfirmed),
  'user.email_removed': emailChangeMail(emailRemoved),
  'user.email_change_reverted': {
    recipients: listedAddresses,
    within_s: 3 * DAY_S,
    page: '/password/forgot',
    texts: emailChangeReverted,
    unsubscribes: allNotifications,
  },
  'user.password_changed': {
    recipients: otherSecurityAddresses,
    within_s: 3 * DAY_S,
    page: '/password/forgot',
    texts: passwordChanged,
    unsubscribes: allNotifications,
  },
}

export function isAccountMailEvent(type: keyof typeof eventHandlers): type is AccountMailEvent {
  return Object.hasOwn(accountMails, type)
}
