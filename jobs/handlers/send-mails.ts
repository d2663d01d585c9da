import type { StoredEvent } from '../../src/outbox/queries.ts'
import { newLinkToken } from '../../src/mail/link-tokens.ts'
import { listHeaders, unsubscribeUrl } from '../../src/mail/list-headers.ts'
import { addMails, leaseMail, listPendingMails, NO_LONGER_WANTED, recordMailResult } from '../../src/mail/queries.ts'
import { findUnsubscribeKey, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import type { AccountMailEvent } from '../../src/outbox/event-types.ts'
import type { DeliveryHandler } from './delivery-handler.ts'
import { languageOf } from '../../src/errors/texts/languages.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { isAccountMailEvent, accountMails } from '../../src/notifications/account-mails.ts'
import type { JobServices } from './services.ts'

const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

/**
 * Sends the mails of an event. Each recipient has a lease of two minutes, so that two workers do not send the same mail. The
 * outbox delivery stays pending while any mail is neither sent nor refused, and the job `dispatch-outbox` retries it.
 */
export const sendMails: DeliveryHandler = async (event, services, stopping) => {
  const { db } = services
  const { type } = event
  if (!isAccountMailEvent(type)) return undefined
  await addMails(db, event.id, accountMails[type].recipients(event))
  for (const emailId of await listPendingMails(db, event.id)) {
    if (stopping.aborted) return 'still pending'
    await sendMail(event, type, emailId, services)
  }
  return (await listPendingMails(db, event.id)).length === 0 ? undefined : 'still pending'
}

async function sendMail(event: StoredEvent, type: AccountMailEvent, email_id: number, { db, mailer, urls, log }: JobServices) {
  const { recipients, within_s, link: linkKind, page, texts, unsubscribes } = accountMails[type]
  const link = linkKind?.onlyFor?.(event).includes(email_id) === false ? undefined : linkKind
  const key = { event_id: event.id, email_id }
  const newToken = link && newLinkToken()
  const token = link && newToken && { purpose: link.purpose, lifetime_s: link.lifetime_s, hash: newToken.hash }
  const leased = await leaseMail(db, key, { recipients: recipients(event), within_s, token })
  if (!leased) return
  const { message_id, address, locale, attempts, is_wanted, is_removed: isRemoved, may_reset_password: mayResetPassword } = leased
  if (!is_wanted) return recordMailResult(db, key, { outcome: 'refused', answer: NO_LONGER_WANTED })

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
    headers: listHeaders(urls, ACCOUNT_LIST, unsubscribe),
  })
  await recordMailResult(db, key, result)
  const logged = { ...key, attempts, outcome: result.outcome }
  if (result.outcome === 'sent') log.info(logged, 'mail sent')
  // The server's reply is stored with the delivery; logs must not contain what a server says about an address.
  else log.warn(logged, 'mail not sent')
}

/** Returns `a…@example.org`, for mails to an address that is no longer on the account. */
const maskAddress = (address: string) => address.replace(/^(.).*(?=@)/u, '$1…')
