import type { Sql } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/events/queries.ts'
import type { LeasedDelivery, MailedToken } from '../../src/mails/queries.ts'
import { confirmedAddress, otherConfirmedAddresses, unconfirmedAddress } from '../../src/mails/recipient-queries.ts'
import type { Subscription } from '../../src/mails/unsubscribe-token.ts'
import type { events } from '../contracts.ts'
import { type MailedEvent } from '../contracts.ts'
import { confirmEmail } from './confirm-email.ts'
import type { Language } from '../../src/texts/languages.ts'
import type { MailText } from './layout.ts'
import { passwordChanged } from './password-changed.ts'
import { resetPassword } from './reset-password.ts'

/** What a text may be about. */
export interface MailFacts {
  readonly address: string
  /** The one link of the mail, absolute. */
  readonly url: string
  /** Where mails like this one are ended, absolute. */
  readonly leave: string
}

/** The texts of a mail in every language; the compiler refuses a gap. */
export type MailTexts = Readonly<Record<Language, (facts: MailFacts) => MailText>>

export interface MailKind {
  readonly recipients: (event: StoredEvent) => Sql
  /** Seconds after the event; later it would be of no use to anybody. */
  readonly within_s: number
  /** A link that works once, and until when. Without one the mail leads to the page for a forgotten password. */
  readonly link?: Pick<MailedToken, 'purpose' | 'life_s'> & { readonly path: (token: string) => string }
  readonly texts: MailTexts
  /** What its List-Unsubscribe ends. */
  readonly ends: (to: LeasedDelivery) => Subscription
}

/** Mails of an account are asked for, or warn of what happened to it: there is nothing to end but the mails about issues. */
const issueMails = ({ user_id }: LeasedDelivery): Subscription => ({ kind: 'all', user_id })

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The texts say three days and one hour. */
const confirmation: MailKind = {
  recipients: unconfirmedAddress,
  within_s: 3 * DAY_S,
  link: { purpose: 'confirm_email', life_s: 3 * DAY_S, path: (token) => `/emails/confirm?token=${token}` },
  texts: confirmEmail,
  // Whoever has the address may never have been here.
  ends: ({ email_id, address_hash }) => ({ kind: 'address', email_id, address_hash }),
}

/** Every event that has mails, and the mail that it has. */
export const mails: Readonly<Record<MailedEvent, MailKind>> = {
  'email.added': confirmation,
  'email.confirmation_requested': confirmation,
  'email.reset_requested': {
    recipients: confirmedAddress,
    within_s: HOUR_S,
    link: { purpose: 'reset_password', life_s: HOUR_S, path: (token) => `/password/reset?token=${token}` },
    texts: resetPassword,
    ends: issueMails,
  },
  'user.password_changed': {
    recipients: otherConfirmedAddresses,
    within_s: 3 * DAY_S,
    texts: passwordChanged,
    ends: issueMails,
  },
}

export function isMailedEvent(type: keyof typeof events): type is MailedEvent {
  return Object.hasOwn(mails, type)
}
