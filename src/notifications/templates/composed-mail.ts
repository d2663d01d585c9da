import type { Texts } from '../../locales/texts.ts'
import type { Database } from '../../database/database.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { OutgoingMail } from '../../mail/mailer.ts'
import type { MailText } from './layout.ts'

export type ComposedMail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'headers'>

export interface ComposeContext {
  readonly db: Database
  readonly urls: Urls
  readonly signingKey: string
  readonly now: Date
}

export interface AccountMailContent {
  readonly emailAddress: string
  readonly url: string
  readonly unsubscribeLink: string
  /** The address is empty if none was changed. It is masked in mails to a removed address without a link. */
  readonly changedEmailAddress: string
  readonly mayRevert: boolean
  readonly mayResetPassword: boolean
  readonly isRemoved: boolean
  /** The reason of the moderator whose decision the mail is about. */
  readonly reason?: string | undefined
}

export type ComposeAccountMail = (texts: Texts, content: AccountMailContent) => MailText
