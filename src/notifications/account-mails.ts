import type { Sql } from '../database/database.ts'
import {
  type AccountMailEvent,
  emailAddressIdsWithLink,
  selectConfirmedEmailAddresses,
  selectListedEmailAddresses,
  selectOtherSecurityEmailAddresses,
  selectTrustedEmailAddress,
  selectTrustedEmailAddresses,
  selectUnconfirmedEmailAddress,
} from './recipients/account-mail-recipients.ts'
import type { Subscription } from '../mail/unsubscribe-token.ts'
import type { deliveryHandlersByEventType, AccountMailEventType } from '../outbox/event-types.ts'
import { REVERT_DAYS } from '../mail/trusted-email-address.ts'
import {
  confirmEmail,
  emailAdded,
  emailChangeReverted,
  emailConfirmed,
  emailRemoved,
  eraseAccount,
  exportReady,
  passwordChanged,
  profileRejected,
  resetPassword,
  reviewNeeded,
  webhookStopped,
} from './templates/account-mail-texts.ts'
import type { ComposeAccountMail } from './templates/layout.ts'

/** The link of a mail has a token that works once and expires. */
export interface AccountMailLink {
  readonly purpose: 'confirm_email' | 'reset_password' | 'revert_email_change' | 'erase_account' | 'download_export'
  readonly lifetime_s: number
  readonly path: (token: string) => string
  /** Only the e-mail addresses with these ids get the link. */
  readonly onlyFor?: (event: AccountMailEvent) => readonly number[]
}

interface Owner {
  readonly user_id: number
  readonly email_address_id: number
  readonly address_hash: string
}

interface AccountMail {
  readonly recipients: (event: AccountMailEvent) => Sql
  /** A mail that is older than this is cancelled instead of sent. */
  readonly sendWithin_s: number
  readonly link?: AccountMailLink
  /** The page to which the mail leads if it has no link with a token. */
  readonly pagePath: '/account' | '/account/webhooks' | '/moderation' | '/password/forgot'
  readonly compose: ComposeAccountMail
  /** The subscription that the `List-Unsubscribe` header ends. */
  readonly toSubscription: (mail: Owner) => Subscription
}

/** Account mails cannot be turned off, so their header ends the notifications. */
const allNotifications = ({ user_id }: Owner): Subscription => ({ kind: 'all', user_id })

/** The zip of a person's data is stored this long. */
export const EXPORT_DAYS = 7

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The texts state the lifetimes of the links. */
const confirmationMail: AccountMail = {
  recipients: selectUnconfirmedEmailAddress,
  sendWithin_s: 3 * DAY_S,
  link: { purpose: 'confirm_email', lifetime_s: 3 * DAY_S, path: (token) => `/emails/confirm?token=${token}` },
  pagePath: '/account',
  compose: confirmEmail,
  // The owner of the e-mail address may have no account here.
  toSubscription: ({ email_address_id, address_hash }) => ({ kind: 'address', email_address_id, address_hash }),
}

const emailChangeMail = (compose: ComposeAccountMail): AccountMail => ({
  ...changeNotice(selectListedEmailAddresses, compose, '/account'),
  link: {
    purpose: 'revert_email_change',
    lifetime_s: REVERT_DAYS * DAY_S,
    path: (token) => `/emails/revert?token=${token}`,
    onlyFor: emailAddressIdsWithLink,
  },
})

/** A mail after a change of an account, which leads to a page without a token. */
const changeNotice = (
  recipients: AccountMail['recipients'],
  compose: ComposeAccountMail,
  pagePath: AccountMail['pagePath'] = '/password/forgot',
): AccountMail => ({ recipients, compose, pagePath, sendWithin_s: 3 * DAY_S, toSubscription: allNotifications })

export const accountMails: Readonly<Record<AccountMailEventType, AccountMail>> = {
  'email.added': confirmationMail,
  'email.confirmation_requested': confirmationMail,
  'email.reset_requested': {
    recipients: selectTrustedEmailAddress,
    sendWithin_s: HOUR_S,
    link: { purpose: 'reset_password', lifetime_s: HOUR_S, path: (token) => `/password/reset?token=${token}` },
    pagePath: '/password/forgot',
    compose: resetPassword,
    toSubscription: allNotifications,
  },
  'user.email_added': emailChangeMail(emailAdded),
  'user.email_confirmed': emailChangeMail(emailConfirmed),
  'user.email_removed': emailChangeMail(emailRemoved),
  'user.email_change_reverted': changeNotice(selectListedEmailAddresses, emailChangeReverted),
  'user.rejected': changeNotice(selectConfirmedEmailAddresses, profileRejected, '/account'),
  'user.webhook_stopped': changeNotice(selectConfirmedEmailAddresses, webhookStopped, '/account/webhooks'),
  'user.review_needed': changeNotice(selectConfirmedEmailAddresses, reviewNeeded, '/moderation'),
  'user.password_changed': changeNotice(selectOtherSecurityEmailAddresses, passwordChanged),
  'user.erasure_requested': {
    ...changeNotice(selectTrustedEmailAddresses, eraseAccount, '/account'),
    link: { purpose: 'erase_account', lifetime_s: DAY_S, path: (token) => `/erasure?token=${token}` },
  },
  'user.exported': {
    ...changeNotice(selectTrustedEmailAddresses, exportReady, '/account'),
    link: { purpose: 'download_export', lifetime_s: EXPORT_DAYS * DAY_S, path: (token) => `/export?token=${token}` },
  },
}

export function isAccountMailEventType(type: keyof typeof deliveryHandlersByEventType): type is AccountMailEventType {
  return Object.hasOwn(accountMails, type)
}
