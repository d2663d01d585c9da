import type { Sql } from '../database/database.ts'
import type { StoredEvent } from '../outbox/queries.ts'
import type { LeasedDelivery, MailedToken } from '../mail/queries.ts'
import {
  linkedAddresses,
  namedAddresses,
  otherSecurityAddresses,
  resettingAddress,
  unconfirmedAddress,
} from './recipients/account-mail-recipients.ts'
import type { Subscription } from '../mail/unsubscribe-token.ts'
import type { events, AccountMailEvent } from '../outbox/event-types.ts'
import { TAKE_BACK_DAYS } from '../mail/established.ts'
import { confirmEmail } from './templates/confirm-email.ts'
import { emailAdded, emailChangeReverted, emailConfirmed, emailRemoved } from './templates/email-changes.ts'
import { passwordChanged } from './templates/password-changed.ts'
import { resetPassword } from './templates/reset-password.ts'
import type { MailTexts } from './templates/composed-mail.ts'

export interface MailKind {
  readonly recipients: (event: StoredEvent) => Sql
  /** Seconds after the event in which the mail is still useful. */
  readonly within_s: number
  /** A link with a token that works once and expires; limited to the addresses of these ids if the field is present. */
  readonly link?: Pick<MailedToken, 'purpose' | 'life_s'> & {
    readonly path: (token: string) => string
    readonly only?: (event: StoredEvent) => readonly number[]
  }
  readonly page: '/account' | '/password/forgot'
  readonly texts: MailTexts
  readonly ends: (to: LeasedDelivery) => Subscription
}

/** Account mails are requested or are security warnings, so their header can only end the mails about issues. */
const issueMails = ({ user_id }: LeasedDelivery): Subscription => ({ kind: 'all', user_id })

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The lifetimes are part of the texts: three days and one hour. */
const confirmation: MailKind = {
  recipients: unconfirmedAddress,
  within_s: 3 * DAY_S,
  link: { purpose: 'confirm_email', life_s: 3 * DAY_S, path: (token) => `/emails/confirm?token=${token}` },
  page: '/account',
  texts: confirmEmail,
  // The owner of the address may have no account here.
  ends: ({ email_id, address_hash }) => ({ kind: 'address', email_id, address_hash }),
}

/** The lifetime is part of the text: seven days. */
const emailChange = (texts: MailTexts): MailKind => ({
  recipients: namedAddresses,
  within_s: 3 * DAY_S,
  link: {
    purpose: 'revert_email_change',
    life_s: TAKE_BACK_DAYS * DAY_S,
    path: (token) => `/emails/revert?token=${token}`,
    only: linkedAddresses,
  },
  page: '/account',
  texts,
  ends: issueMails,
})

export const mails: Readonly<Record<AccountMailEvent, MailKind>> = {
  'email.added': confirmation,
  'email.confirmation_requested': confirmation,
  'email.reset_requested': {
    recipients: resettingAddress,
    within_s: HOUR_S,
    link: { purpose: 'reset_password', life_s: HOUR_S, path: (token) => `/password/reset?token=${token}` },
    page: '/password/forgot',
    texts: resetPassword,
    ends: issueMails,
  },
  'user.email_added': emailChange(emailAdded),
  'user.email_confirmed': emailChange(emailConfirmed),
  'user.email_removed': emailChange(emailRemoved),
  'user.email_change_reverted': {
    recipients: namedAddresses,
    within_s: 3 * DAY_S,
    page: '/password/forgot',
    texts: emailChangeReverted,
    ends: issueMails,
  },
  'user.password_changed': {
    recipients: otherSecurityAddresses,
    within_s: 3 * DAY_S,
    page: '/password/forgot',
    texts: passwordChanged,
    ends: issueMails,
  },
}

export function isMailedEvent(type: keyof typeof events): type is AccountMailEvent {
  return Object.hasOwn(mails, type)
}
