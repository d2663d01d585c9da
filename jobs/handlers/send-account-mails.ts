import type { StoredEvent } from '../../src/outbox/queries.ts'
import { createLinkToken } from '../../src/mail/link-tokens.ts'
import { mailingListHeaders, unsubscribeUrl } from '../../src/mail/list-headers.ts'
import {
  addAccountMails,
  CANCELLED,
  leaseAccountMail,
  listPendingAccountMails,
  recordAccountMailResult,
} from '../../src/mail/queries.ts'
import { findUnsubscribeKey, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import type { AccountMailEventType } from '../../src/outbox/event-types.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { languageOf } from '../../src/errors/texts/languages.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { findDecisionReason } from '../../src/notifications/recipients/account-mail-recipients.ts'
import { isAccountMailEventType, accountMails } from '../../src/notifications/account-mails.ts'
import type { JobServices } from './services.ts'

const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

/** A lease keeps two workers from sending the same mail. The delivery stays pending until each mail is sent or has failed. */
export const sendAccountMails: DeliveryHandler = async (event, services, signal) => {
  const { db } = services
  const { type } = event
  if (!isAccountMailEventType(type)) return undefined
  await addAccountMails(db, event.id, accountMails[type].recipients(event))
  for (const emailAddressId of await listPendingAccountMails(db, event.id)) {
    if (signal.aborted) return 'still pending'
    await sendMail(event, type, emailAddressId, services)
  }
  return (await listPendingAccountMails(db, event.id)).length === 0 ? undefined : 'still pending'
}

async function sendMail(
  event: StoredEvent,
  type: AccountMailEventType,
  emailAddressId: number,
  { db, mailer, urls, log }: JobServices,
) {
  const { recipients, sendWithin_s, link: linkKind, pagePath, texts, toSubscription } = accountMails[type]
  const link = linkKind?.onlyFor?.(event).includes(emailAddressId) === false ? undefined : linkKind
  const mailKey = { event_id: event.id, email_address_id: emailAddressId }
  const newToken = link && createLinkToken()
  const token = link && newToken && { purpose: link.purpose, lifetime_s: link.lifetime_s, hash: newToken.hash }
  const leased = await leaseAccountMail(db, mailKey, { recipients: recipients(event), sendWithin_s, token })
  if (!leased) return
  const {
    message_id,
    email_address: emailAddress,
    locale,
    attempts,
    is_wanted,
    is_removed: isRemoved,
    may_reset_password: mayResetPassword,
  } = leased
  if (!is_wanted) return recordAccountMailResult(db, mailKey, CANCELLED)

  const language = languageOf(locale)
  const url = urls.at(link && newToken ? link.path(newToken.token) : pagePath)
  const unsubscribe = unsubscribeToken(await findUnsubscribeKey(db), toSubscription(leased))
  const unsubscribeLink = unsubscribeUrl(urls, unsubscribe)
  const mayRevert = link?.purpose === 'revert_email_change'
  const changedEmailAddress =
    isRemoved && !mayRevert ? maskEmailAddress(leased.changed_email_address ?? '') : (leased.changed_email_address ?? '')
  const reason = await findDecisionReason(db, event)
  const content = { emailAddress, url, unsubscribeLink, changedEmailAddress, mayRevert, mayResetPassword, isRemoved, reason }
  const result = await mailer.send({
    id: message_id,
    to: emailAddress,
    ...composeMail(language, texts[language](content), urls.root),
    headers: mailingListHeaders(urls, ACCOUNT_LIST, unsubscribe),
  })
  await recordAccountMailResult(db, mailKey, result)
  const logged = { ...mailKey, attempts, outcome: result.outcome }
  if (result.outcome === 'sent') log.info(logged, 'mail sent')
  // The server's reply is stored with the mail; logs must not contain what a server says about an e-mail address.
  else log.warn(logged, 'mail not sent')
}

const maskEmailAddress = (emailAddress: string) => emailAddress.replace(/^(.).*(?=@)/u, '$1…')
