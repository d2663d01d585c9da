import type { OutgoingMail } from '../../mail/mailer.ts'
import type { MailText } from './layout.ts'
import type { Language } from '../../errors/texts/languages.ts'

export type ComposedMail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'headers'>

export interface MailFacts {
  readonly address: string
  readonly url: string
  readonly leave: string
  /** The address that was changed, or ''. It is masked in mails to a removed address without a link. */
  readonly concerned: string
  readonly mayRevert: boolean
  readonly mayReset: boolean
  readonly isRemoved: boolean
}

export type MailTexts = Readonly<Record<Language, (facts: MailFacts) => MailText>>
