import Type, { type Static } from 'typebox'

import { Id } from '../database/database.ts'
import type { SendResult } from './mailer.ts'

/** The lease in seconds exceeds the longest sending time, so that a second worker does not send the same mail. */
export const LEASE_S = 120
export const CANCELLED_REPLY = 'no longer wanted'

/** A mail is cancelled without contacting the server if its recipient no longer wants it or it would be too late. */
export type MailResult = SendResult | { readonly outcome: 'cancelled'; readonly reply: typeof CANCELLED_REPLY }

export const CANCELLED: MailResult = { outcome: 'cancelled', reply: CANCELLED_REPLY }

/** Mails about older events are neither inserted nor sent after an outage. Digests have no such limit. */
export const NOTIFY_WITHIN_DAYS = 3

/** Identifies a mail to an address of an account: an event has at most one mail to each. */
export const MailKey = Type.Object({ event_id: Id, email_address_id: Id })
export type MailKey = Static<typeof MailKey>

/** A recipient who may still get the mail when it is leased, with the language of its text. */
export const EligibleRecipient = Type.Object({ ...MailKey.properties, locale: Type.String() })
export type EligibleRecipient = Static<typeof EligibleRecipient>
