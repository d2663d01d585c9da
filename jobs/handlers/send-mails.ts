import type { StoredEvent } from '../../src/outbox/queries.ts'
import { newLinkToken } from '../../src/mail/link-tokens.ts'
import { listHeaders, unsubscribeUrl } from '../../src/mail/list-headers.ts'
import { addDeliveries, leaseDelivery, listOpenDeliveries, NO_LONGER_WANTED, settleDelivery } from '../../src/mail/queries.ts'
import { findUnsubscribeKey, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import type { AccountMailEvent } from '../../src/outbox/event-types.ts'
import type { Effect } from './delivery.ts'
import { languageOf } from '../../src/errors/texts/languages.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { isMailedEvent, mails } from '../../src/notifications/account-mails.ts'
import type { JobServices } from './services.ts'

const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

/**
 * Sends the mails of an event. Each recipient has a lease of two minutes, so that two workers do not send the same mail. The
 * outbox delivery stays pending while any mail is neither sent nor refused, and the sweep retries it.
 */
export const sendMails: Effect = async (event, services, stopping) => {
  const { db } = services
  const { type } = event
  if (!isMailedEvent(type)) return undefined
  await addDeliveries(db, event.id, mails[type].recipients(event))
  for (const emailId of await listOpenDeliveries(db, event.id)) {
    if (stopping.aborted) return 'still owed'
    await sendMail(event, type, emailId, services)
  }
  return (await listOpenDeliveries(db, event.id)).length === 0 ? undefined : 'still owed'
}

async function sendMail(event: StoredEvent, type: AccountMailEvent, email_id: number, { db, mailer, urls, log }: JobServices) {
  const { recipients, within_s, link: kindOfLink, page, texts, ends } = mails[type]
  const link = kindOfLink?.only?.(event).includes(email_id) === false ? undefined : kindOfLink
  const key = { event_id: event.id, email_id }
  const made = link && newLinkToken()
  const token = link && made && { purpose: link.purpose, life_s: link.life_s, hash: made.hash }
  const leased = await leaseDelivery(db, key, { recipients: recipients(event), within_s, token })
  if (!leased) return
  const { message_id, address, locale, attempts, wanted, is_removed: isRemoved, may_reset: mayReset } = leased
  if (!wanted) return settleDelivery(db, key, { end: 'refused', answer: NO_LONGER_WANTED })

  const language = languageOf(locale)
  const url = urls.at(link && made ? link.path(made.token) : page)
  const unsubscribe = unsubscribeToken(await findUnsubscribeKey(db), ends(leased))
  const leave = unsubscribeUrl(urls, unsubscribe)
  const mayRevert = link?.purpose === 'revert_email_change'
  const concerned = isRemoved && !mayRevert ? masked(leased.concerned ?? '') : (leased.concerned ?? '')
  const facts = { address, url, leave, concerned, mayRevert, mayReset, isRemoved }
  const sending = await mailer.send({
    id: message_id,
    to: address,
    ...composeMail(language, texts[language](facts), urls.root),
    headers: listHeaders(urls, ACCOUNT_LIST, unsubscribe),
  })
  await settleDelivery(db, key, sending)
  const told = { ...key, attempts, end: sending.end }
  if (sending.end === 'sent') log.info(told, 'mail sent')
  // The server's reply is stored with the delivery; logs must not contain what a server says about an address.
  else log.warn(told, 'mail not sent')
}

/** Returns `a…@example.org`, for mails to an address that is no longer on the account. */
const masked = (address: string) => address.replace(/^(.).*(?=@)/u, '$1…')
