import type { OutgoingMail } from '../../mail/mailer.ts'
import type { MailText } from './layout.ts'
import type { Language } from '../../i18n/languages.ts'

/** The mail of a notice, whole but for its id and address. */
export type ComposedMail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'headers'>

/** What a text may be about. */
export interface MailFacts {
  readonly address: string
  /** The one link of the mail, absolute. */
  readonly url: string
  /** Where mails like this one are ended, absolute. */
  readonly leave: string
  /** The address that a change was of; empty where there is none. Masked for an address that is not on the account any more and gets no link. */
  readonly concerned: string
  /** The link takes the change back. */
  readonly mayRevert: boolean
  /** The address may reset the password: it is not new beside an older one. */
  readonly mayReset: boolean
  /** The mail goes to an address that was taken off the account. */
  readonly isRemoved: boolean
}

/** The texts of a mail in every language; the compiler refuses a gap. */
export type MailTexts = Readonly<Record<Language, (facts: MailFacts) => MailText>>
