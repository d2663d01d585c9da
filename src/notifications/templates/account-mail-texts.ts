import type { Texts } from '../../locales/texts.ts'
import type { AccountMailContent, ComposeAccountMail, MailText } from './layout.ts'
import { toOneLine } from './shorten-text.ts'

/** Characters of a text of a draft in its mail: the author recognizes it, and a stranger has no room for advertising. */
const LINE_MAX = 200

type Name =
  | 'confirmEmail'
  | 'resetPassword'
  | 'passwordChanged'
  | 'profileRejected'
  | 'emailChangeReverted'
  | 'draftLink'
  | 'eraseAccount'
  | 'exportReady'
  | 'webhookStopped'
  | 'reviewNeeded'
  | AddressMail

const mailText = (name: Name, texts: Texts, url: string, values = {}): MailText => ({
  subject: texts(`mails.${name}.subject`, values),
  intro: texts.list(`mails.${name}.intro`, values),
  button: texts(`mails.${name}.button`),
  url,
  closing: texts.list(`mails.${name}.closing`),
})

/** The address may belong to a third party, so the mail contains no text written by the account, not even its name. */
export const confirmEmail: ComposeAccountMail = (texts, { emailAddress, url, unsubscribeLink }) => ({
  ...mailText('confirmEmail', texts, url, { emailAddress }),
  unsubscribe: { text: texts('mails.confirmEmail.unsubscribe'), url: unsubscribeLink },
})

const withAddress =
  (name: 'resetPassword' | 'eraseAccount' | 'exportReady' | 'reviewNeeded'): ComposeAccountMail =>
  (texts, { emailAddress, url }) =>
    mailText(name, texts, url, { emailAddress })
export const resetPassword = withAddress('resetPassword')
export const eraseAccount = withAddress('eraseAccount')
export const exportReady = withAddress('exportReady')
export const reviewNeeded = withAddress('reviewNeeded')

/** The reason is that of the moderator, or the address of the webhook and its error. */
const withReason =
  (name: 'profileRejected' | 'webhookStopped'): ComposeAccountMail =>
  (texts, { emailAddress, url, reason }) => {
    const mail = mailText(name, texts, url, { emailAddress })
    return reason === undefined ? mail : { ...mail, intro: [...mail.intro, texts(`mails.${name}.reason`, { reason })] }
  }
export const profileRejected = withReason('profileRejected')
export const webhookStopped = withReason('webhookStopped')

const passwordResetHint = (texts: Texts, { mayResetPassword, isRemoved }: AccountMailContent): string[] =>
  mayResetPassword || isRemoved ? [] : [texts('mails.passwordResetHint')]

/** An attacker may have changed the password, so the mail goes to the other addresses of the account. */
export const passwordChanged: ComposeAccountMail = (texts, content) => {
  const mail = mailText('passwordChanged', texts, content.url, { emailAddress: content.emailAddress })
  const closing = content.isRemoved ? texts.list('mails.passwordChanged.closingRemoved') : mail.closing
  return { ...mail, closing: [...closing, ...passwordResetHint(texts, content)] }
}

const selectAdvice = (texts: Texts, content: AccountMailContent, advice: readonly string[]): string[] =>
  content.isRemoved ? [texts('mails.addressRemoved')] : [...advice, ...passwordResetHint(texts, content)]

/** An attacker may have made the change, so the mail goes to the other addresses and quotes nothing but the changed address. */
const emailChange =
  (name: 'emailAdded' | 'emailConfirmed' | 'emailRemoved'): ComposeAccountMail =>
  (texts, content) => {
    const { emailAddress, changedEmailAddress, url, mayRevert } = content
    const whatChanged = texts(`mails.${name}.whatChanged`, { emailAddress, changedEmailAddress })
    const mail = { subject: texts(`mails.${name}.subject`), intro: [whatChanged, texts('mails.emailChange.noActionNeeded')], url }
    if (!mayRevert) {
      const closing = selectAdvice(texts, content, [texts('mails.emailChange.choosePassword')])
      return { ...mail, button: texts('mails.emailChange.button'), closing }
    }
    const closing = [texts(`mails.${name}.revertEffect`), texts('mails.emailChange.linkValidity')]
    return { ...mail, button: texts('mails.emailChange.revertButton'), closing }
  }

export const emailAdded = emailChange('emailAdded')
export const emailConfirmed = emailChange('emailConfirmed')
export const emailRemoved = emailChange('emailRemoved')

/** All sessions have ended, so the mail asks for a new password. */
export const emailChangeReverted: ComposeAccountMail = (texts, content) => {
  const mail = mailText('emailChangeReverted', texts, content.url, { emailAddress: content.emailAddress })
  return { ...mail, closing: selectAdvice(texts, content, mail.closing) }
}

interface AddressLinks {
  readonly url: string
  readonly unsubscribeLink: string
}

interface DraftMail extends AddressLinks {
  /** The name under which the report will appear. */
  readonly name: string
  readonly lines: readonly string[]
  /** URLs of a map of the place, and of the first picture. */
  readonly banner: string
  readonly picture: string | undefined
}

export const draftLink = (texts: Texts, { url, unsubscribeLink, name, lines, banner, picture }: DraftMail): MailText => ({
  ...mailText('draftLink', texts, url, { name }),
  banner: { url: banner, alt: texts('mails.draftLink.map') },
  ...(picture === undefined ? {} : { images: [{ url: picture, alt: texts('mails.draftLink.picture') }] }),
  ...(lines.length === 0 ? {} : { quote: { text: lines.map((line) => toOneLine(line, LINE_MAX)).join('\n') } }),
  unsubscribe: { text: texts('mails.draftLink.unsubscribe'), url: unsubscribeLink },
})

type AddressMail = 'erasureReceipt' | 'reportReceipt' | 'reportReceiptHeld' | 'callerReceipt' | 'memberInvitation'

/** The address may belong to a third party, so the mail contains no text of a report. */
export const addressMail = (name: AddressMail, texts: Texts, { url, unsubscribeLink }: AddressLinks, values = {}): MailText => ({
  ...mailText(name, texts, url, values),
  unsubscribe: { text: texts(`mails.${name}.unsubscribe`), url: unsubscribeLink },
})
