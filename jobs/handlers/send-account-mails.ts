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
import type { AccountMailEvent } from '../../src/outbox/event-types.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { languageOf } from '../../src/errors/texts/languages.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { isAccountMailEvent, accountMails } from '../../src/notifications/account-mails.ts'
import type { JobServices } from './services.ts'

const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

/** A lease keeps two workers from sending the same mail. The delivery stays pending until each mail is sent or has failed. */
export const sendAccountMails: DeliveryHandler = async (event, services, signal) => {
  const { db } = services
  const { type } = event
  if (!isAccountMailEvent(type)) return undefined
  await addAccountMails(db, event.id, accountMails[type].recipients(event))
  for (const emailId of await listPendingAccountMails(db, event.id)) {
    if (signal.aborted) return 'still pending'
    await sendMail(event, type, emailId, services)
  }
  return (await listPendingAccountMails(db, event.id)).length === 0 ? undefined : 'still pending'
}

async function sendMail(event: StoredEvent, type: AccountMailEvent, email_id: number, { db, mailer, urls, log }: JobServices) {
  const { recipients, within_s, link: linkKind, page, texts, unsubscribes } = accountMails[type]
  const link = linkKind?.onlyFor?.(event).includes(email_id) === false ? undefined : linkKind
  const mailKey = { event_id: event.id, email_id }
  const newToken = link && createLinkToken()
  const token = link && newToken && { purpose: link.purpose, lifetime_s: link.lifetime_s, hash: newToken.hash }
  const leased = await leaseAccountMail(db, mailKey, { recipients: recipients(event), within_s, token })
  if (!leased) return
  const { message_id, address, locale, attempts, is_wanted, is_removed: isRemoved, may_reset_password: mayResetPassword } = leased
  if (!is_wanted) return recordAccountMailResult(db, mailKey, CANCELLED)

  const language = languageOf(locale)
  const url = urls.at(link && newToken ? link.path(newToken.token) : page)
  const unsubscribe = unsubscribeToken(await findUnsubscribeKey(db), unsubscribes(leased))
  const unsubscribeLink = unsubscribeUrl(urls, unsubscribe)
  const mayRevert = link?.purpose === 'revert_email_change'
  const changedAddress = isRemoved && !mayRevert ? maskAddress(leased.changed_address ?? '') : (leased.changed_address ?? '')
  const content = { address, url, unsubscribeLink, changedAddress, mayRevert, mayResetPassword, isRemoved }
  const result = await mailer.send({
    id: message_id,
    to: address,
    ...composeMail(language, texts[language](content), urls.root),
    headers: mailingListHeaders(urls, ACCOUNT_LIST, unsubscribe),
  })
  await recordAccountMailResult(db, mailKey, result)
  const logged = { ...mailKey, attempts, outcome: result.outcome }
  if (result.outcome === 'sent') log.info(logged, 'mail sent')
  // The server's reply is stored with the mail; logs must not contain what a server says about an address.
  else log.warn(logged, 'mail not sent')
}

const maskAddress = (address: string) => address.replace(/^(.).*(?=@)/u, '$1…')
