import { languageOf } from '../../src/errors/texts/languages.ts'
import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { mailingListHeaders, unsubscribeUrl } from '../../src/mail/list-headers.ts'
import { CANCELLED } from '../../src/mail/queries.ts'
import { findUnsubscribeKey, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { draftLink } from '../../src/notifications/templates/draft-link.ts'
import { composeMail } from '../../src/notifications/templates/layout.ts'
import { reportReceipt } from '../../src/notifications/templates/report-receipt.ts'
import { isDraftMailPending, leaseDraftMail, recordDraftMailResult } from '../../src/reporting/drafts/draft-mail-queries.ts'
import { deleteDraftsThatExpired } from '../../src/reporting/drafts/draft-queries.ts'
import { isReceiptPending, leaseReceipt, recordReceiptResult } from '../../src/reporting/receipts/receipt-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import type { JobServices } from './services.ts'

const DRAFT_LIST = { label: 'drafts', name: 'Fixpoint drafts' }

/** A lease keeps two workers from sending the same mail. The delivery stays pending until the mail is sent or has failed. */
export const sendDraftMails: DeliveryHandler = async ({ subject_id }, services, signal) => {
  if (!signal.aborted) await sendDraftMail(subject_id, services)
  return (await isDraftMailPending(services.db, subject_id)) ? 'still pending' : undefined
}

async function sendDraftMail(id: number, { db, mailer, urls, log, clock }: JobServices): Promise<void> {
  const token = newSecret()
  const leased = await leaseDraftMail(db, id, hashToken(token), clock())
  if (!leased) return
  const { message_id, email_address, address_hash, locale, attempts, is_wanted } = leased
  if (!is_wanted) return recordDraftMailResult(db, id, CANCELLED)
  const language = languageOf(locale)
  const unsubscribe = unsubscribeToken(await findUnsubscribeKey(db), { kind: 'draft', locale: language, address_hash })
  const links = { url: urls.at(`/report/draft/open?token=${token}`), unsubscribeLink: unsubscribeUrl(urls, unsubscribe) }
  const result = await mailer.send({
    id: message_id,
    to: email_address,
    ...composeMail(language, draftLink[language](links), urls.root),
    headers: mailingListHeaders(urls, DRAFT_LIST, unsubscribe),
  })
  await recordDraftMailResult(db, id, result)
  const logged = { draft_mail_id: id, attempts, outcome: result.outcome }
  if (result.outcome === 'sent') log.info(logged, 'mail sent')
  // The server's reply is stored with the mail; logs must not contain what a server says about an e-mail address.
  else log.warn(logged, 'mail not sent')
}

const RECEIPT_LIST = { label: 'receipts', name: 'Fixpoint reports' }

/** A lease keeps two workers from sending the same mail. The delivery stays pending until the mail is sent or has failed. */
export const sendReceiptMails: DeliveryHandler = async ({ subject_id }, services, signal) => {
  if (!signal.aborted) await sendReceiptMail(subject_id, services)
  return (await isReceiptPending(services.db, subject_id)) ? 'still pending' : undefined
}

async function sendReceiptMail(id: number, { db, mailer, urls, log }: JobServices): Promise<void> {
  const leased = await leaseReceipt(db, id)
  if (!leased) return
  const { issue_id, moderation_state, message_id, email_address, address_hash, locale, attempts, is_wanted } = leased
  if (!is_wanted) return recordReceiptResult(db, id, CANCELLED)
  const language = languageOf(locale)
  const isPublic = moderation_state === 'passed'
  const unsubscribe = unsubscribeToken(await findUnsubscribeKey(db), { kind: 'draft', locale: language, address_hash })
  const links = { url: urls.at(isPublic ? `/issues/${issue_id}` : '/'), unsubscribeLink: unsubscribeUrl(urls, unsubscribe) }
  const result = await mailer.send({
    id: message_id,
    to: email_address,
    ...composeMail(language, reportReceipt[language]({ ...links, isPublic }), urls.root),
    headers: mailingListHeaders(urls, RECEIPT_LIST, unsubscribe),
  })
  await recordReceiptResult(db, id, result)
  const logged = { receipt_id: id, attempts, outcome: result.outcome }
  if (result.outcome === 'sent') log.info(logged, 'mail sent')
  // The server's reply is stored with the mail; logs must not contain what a server says about an e-mail address.
  else log.warn(logged, 'mail not sent')
}

/** Deletes the rows. Their files have no row afterwards, so `delete-orphaned-files` deletes them. */
export async function deleteExpiredDrafts(_payload: object, { db, clock }: Pick<JobServices, 'db' | 'clock'>): Promise<void> {
  await deleteDraftsThatExpired(db, clock())
}
