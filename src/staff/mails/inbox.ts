import Type from 'typebox'

import { Id, nullable, sql, type Transaction } from '../../database/database.ts'
import { languageOf, textsIn } from '../../locales/texts.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { NOTIFY_WITHIN_DAYS } from '../../mail/rules.ts'
import { emailAddressHash, unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { LeasedMail } from '../../notifications/lease-queries.ts'
import { type ComposeContext, type ComposedMail, composeMail } from '../../notifications/templates/layout.ts'
import { shortenText, toOneLine } from '../../notifications/templates/shorten-text.ts'

const TEXT_MAX = 100
const QUOTE_MAX = 1_000
const LIST = { label: 'inbox', name: 'Fixpoint new reports' }

/** Writes the mail about a new report to the inbox of its organisation, if it has one, and returns the number of mails. */
export const addInboxMail = (tx: Transaction, eventId: number): Promise<number> =>
  tx.execute(sql`
    INSERT INTO mails (kind, event_id, email, locale, issue_id)
    SELECT 'inbox', event.id, o.inbox_email, o.language, i.id
    FROM events event
    JOIN issues i ON i.id = event.subject_id AND i.moderation_state = 'passed'
    JOIN request_types rt ON rt.id = i.request_type_id
    JOIN organizations o ON o.id = rt.organization_id
    WHERE event.id = ${eventId} AND event.type = 'issue.reported' AND o.inbox_email IS NOT NULL
      AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    ON CONFLICT (event_id) WHERE kind = 'inbox' DO NOTHING`)

const InboxRow = Type.Object({
  issue_id: Id,
  organization_id: Id,
  organization: Type.String(),
  address_hash: Type.String(),
  type: Type.String(),
  summary: Type.String(),
  description: nullable(Type.String()),
  address: nullable(Type.String()),
})

/** The mail has public texts only, because the readers of the address are not known. It is cancelled if the organisation has another inbox by now. */
export async function composeInboxMail(
  { message_id, locale }: LeasedMail,
  { db, urls, signingKey }: ComposeContext,
): Promise<ComposedMail | undefined> {
  const language = languageOf(locale ?? '')
  const [report] = await db.query(sql.type(InboxRow)`
    SELECT i.id AS issue_id, o.id AS organization_id, coalesce(o.translations -> ${language}::text ->> 'name', o.name) AS organization,
      ${emailAddressHash(sql`mail.email`)} AS address_hash, coalesce(rt.translations -> ${language}::text ->> 'title', rt.title) AS type,
      i.summary, i.description, i.address
    FROM mails mail
    JOIN events event ON event.id = mail.event_id
    JOIN issues i ON i.id = mail.issue_id AND i.moderation_state = 'passed'
    JOIN request_types rt ON rt.id = i.request_type_id
    JOIN organizations o ON o.id = rt.organization_id AND lower(o.inbox_email) = lower(mail.email)
    WHERE mail.message_id = ${message_id}::uuid AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)`)
  if (!report) return undefined
  const { issue_id, organization_id, address_hash, description, address } = report
  const texts = textsIn(language)
  const token = unsubscribeToken(signingKey, { kind: 'inbox', organization_id, address_hash })
  const numbered = `${toOneLine(report.summary, TEXT_MAX)} (#${issue_id})`
  const organization = toOneLine(report.organization, TEXT_MAX)
  const quote = description === null || description.trim() === '' ? undefined : shortenText(description, QUOTE_MAX)
  const mail = composeMail(
    language,
    {
      subject: texts('inboxMail.subject', { summary: numbered }),
      heading: texts('inboxMail.heading', { organization }),
      summaryLines: [numbered, toOneLine(report.type, TEXT_MAX), ...(address ? [toOneLine(address, TEXT_MAX)] : [])],
      intro: [],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: texts('issueMail.shortenedHint') } : {}) } }),
      button: texts('inboxMail.button'),
      url: urls.at(`/issues/${issue_id}`),
      closing: [texts('inboxMail.reason', { organization })],
      unsubscribe: { text: texts('inboxMail.unsubscribe'), url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  return {
    ...mail,
    headers: { ...mailingListHeaders(urls, LIST, token), ...threadHeaders(urls, issue_id), 'X-Auto-Response-Suppress': 'All' },
  }
}
