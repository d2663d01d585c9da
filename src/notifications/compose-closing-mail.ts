import { languageOf, textsIn } from '../locales/texts.ts'
import { closingToken, unsubscribeToken } from '../mail/unsubscribe-token.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../mail/list-headers.ts'
import type { LeasedMail } from './lease-queries.ts'
import { findClosingContent } from './recipients/closing-queries.ts'
import { type ComposeContext, type ComposedMail, composeMail } from './templates/layout.ts'
import { toOneLine } from './templates/shorten-text.ts'

const SUMMARY_MAX = 100
const NAME_MAX = 60

/**
 * Composes the question whether a closed issue is fixed. Each answer is a link to a page with one button.
 * @param address_hash that of a caller, who may have no account
 */
export async function composeClosingMail(
  mail: LeasedMail,
  { db, urls, signingKey }: ComposeContext,
  address_hash?: string,
): Promise<ComposedMail | undefined> {
  const asked = { status_change_id: Number(mail.payload['status_change_id']), isCaller: address_hash !== undefined }
  const content = await findClosingContent(db, mail, asked)
  if (!content) return undefined
  const { issue_id, status_change_id, organization, outcome, passed_on_to } = content
  const language = languageOf(content.locale)
  const texts = textsIn(language)
  const summary = `${toOneLine(content.summary, SUMMARY_MAX)} (#${issue_id})`
  const { user_id } = mail
  const unsubscribe = unsubscribeToken(
    signingKey,
    address_hash === undefined ? { kind: 'issue', user_id, issue_id } : { kind: 'draft', locale: language, address_hash },
  )
  const token = closingToken(signingKey, { status_change_id, ...(address_hash === undefined ? { user_id } : { address_hash }) })
  const who = organization && toOneLine(organization.translations?.[language]?.name ?? organization.name, NAME_MAX)
  const why =
    outcome === null
      ? ''
      : ` · ${texts(`outcome.${outcome}`)}${passed_on_to === null ? '' : ` (${toOneLine(passed_on_to, NAME_MAX)})`}`
  const composed = composeMail(
    language,
    {
      subject: texts('closingMail.subject', { summary }),
      heading: texts('closingMail.heading'),
      summaryLines: [
        summary,
        ...(content.address ? [toOneLine(content.address, SUMMARY_MAX)] : []),
        texts('issueMail.status', { status: `${texts('issueMail.statuses.Closed')}${why}` }),
      ],
      intro: [who === null ? texts('closingMail.introUnnamed') : texts('closingMail.intro', { who })],
      links: [{ text: texts('closingMail.no'), url: urls.at(`/closings?token=${token}&fixed=no`) }],
      button: texts('closingMail.yes'),
      url: urls.at(`/closings?token=${token}&fixed=yes`),
      closing: [texts('closingMail.reason')],
      unsubscribe: { text: texts('issueMail.unsubscribe'), url: unsubscribeUrl(urls, unsubscribe) },
    },
    urls.root,
  )
  const list = { label: `issue-${issue_id}`, name: `Fixpoint issue ${issue_id}` }
  return { ...composed, headers: { ...mailingListHeaders(urls, list, unsubscribe), ...threadHeaders(urls, issue_id) } }
}
