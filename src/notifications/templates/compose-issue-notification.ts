import { languageOf, type Texts, textsIn } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import type { IssueNotificationContent } from '../recipients/issue-notification-queries.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { IssueNotificationEventType } from '../../outbox/event-types.ts'
import { composeMail, type ComposedMail } from './layout.ts'
import { toOneLine, shortenText } from './shorten-text.ts'

const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

const recipientRoles: Readonly<Record<IssueNotificationEventType, 'follower' | 'assignee' | 'author'>> = {
  'comment.added': 'follower',
  'issue.acknowledged': 'follower',
  'issue.closed': 'follower',
  'issue.reopened': 'follower',
  'issue.assigned': 'assignee',
  'issue.reported': 'author',
  'issue.rejected': 'author',
  'comment.rejected': 'author',
  'comment.transition_refused': 'author',
}

/** All mails about an issue share a thread. @param to an account, or an address without one @param signingKey from `findUnsubscribeKey` */
export function composeIssueNotification(
  { locale, ...to }: { readonly locale: string } & ({ readonly user_id: number } | { readonly address_hash: string }),
  content: IssueNotificationContent,
  urls: Urls,
  signingKey: string,
): ComposedMail {
  const { type, issue_id, image_key, is_page_readable: isReadable } = content
  const language = languageOf(locale)
  const texts = textsIn(language)
  const summary = toOneLine(content.summary, SUMMARY_MAX)
  const numbered = `${summary} (#${issue_id})`
  const person = content.actor_name === null ? undefined : toOneLine(content.actor_name, NAME_MAX)
  const { name, translations } = content.actor_organization ?? { name: null, translations: null }
  const organization = name === null ? undefined : toOneLine(translations?.[language]?.name ?? name, NAME_MAX)
  const actorName = person ?? organization
  const quote = content.comment === null ? undefined : shortenText(content.comment, QUOTE_MAX)
  const reason = content.reason === null ? undefined : shortenText(content.reason, QUOTE_MAX)
  const explanation = isReadable ? texts.section('issueMail.explanations')[type] : texts('issueMail.rejectedWithoutPage')
  const isCaller = 'address_hash' in to
  const token = unsubscribeToken(
    signingKey,
    isCaller
      ? { kind: 'draft', locale: language, address_hash: to.address_hash }
      : { kind: 'issue', user_id: to.user_id, issue_id },
  )
  const mail = composeMail(
    language,
    {
      subject: issueMailSubject(type, numbered, actorName, texts),
      heading: texts(`issueMail.headings.${type}`, {
        who: person && organization ? `${person} (${organization})` : (actorName ?? texts('issueMail.anonymous')),
      }),
      summaryLines: [
        numbered,
        ...(content.address ? [toOneLine(content.address, SUMMARY_MAX)] : []),
        ...(isReadable ? [texts('issueMail.status', { status: writeStatus(content, texts) })] : []),
      ],
      intro: [
        ...(explanation === undefined ? [] : [explanation]),
        ...(reason === undefined ? [] : [texts('issueMail.reason', { text: reason.text })]),
      ],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: texts('issueMail.shortenedHint') } : {}) } }),
      ...(image_key === null
        ? {}
        : {
            links: [
              { text: `${texts('issueMail.pictureHint')} ${texts('issueMail.picture')}`, url: urls.at(`/files/${image_key}`) },
            ],
          }),
      images: [
        ...commentImages(image_key, actorName, texts, urls),
        ...(isIssuePublic(type) ? issueImages(content, summary, texts, urls) : []),
      ],
      button: isReadable ? texts('issueMail.button') : texts('mails.reportReceiptHeld.button'),
      url: urls.at(isReadable ? `/issues/${issue_id}` : '/'),
      closing: [texts(`issueMail.mailReasons.${isCaller ? 'caller' : recipientRoles[type]}`)],
      unsubscribe: {
        text: isCaller ? texts('mails.callerReceipt.unsubscribe') : texts('issueMail.unsubscribe'),
        url: unsubscribeUrl(urls, token),
      },
    },
    urls.root,
  )
  const list = { label: `issue-${issue_id}`, name: `Fixpoint issue ${issue_id}` }
  return { ...mail, headers: { ...mailingListHeaders(urls, list, token), ...threadHeaders(urls, issue_id) } }
}

const writeStatus = ({ status, outcome }: Pick<IssueNotificationContent, 'status' | 'outcome'>, texts: Texts): string =>
  texts(`issueMail.statuses.${status}`) + (outcome === null ? '' : ` · ${texts(`outcome.${outcome}`)}`)

/** @param summary of the issue, with its number @param actorName undefined for a user without a name */
export function issueMailSubject(
  type: IssueNotificationEventType,
  summary: string,
  actorName: string | undefined,
  texts: Texts,
): string {
  if (type !== 'comment.added') return texts(`issueMail.subjects.${type}`, { summary })
  return actorName === undefined
    ? texts('issueMail.subjects.comment.addedAnonymously', { summary })
    : texts('issueMail.subjects.comment.added', { summary, who: actorName })
}

/** A rejected comment may belong to an issue that is not public. */
const isIssuePublic = (type: IssueNotificationEventType): boolean => type !== 'issue.rejected' && type !== 'comment.rejected'

/** Returns the picture of a public comment, if it has one. */
export function commentImages(key: string | null, actorName: string | undefined, texts: Texts, urls: Urls) {
  return key === null
    ? []
    : [
        {
          url: urls.at(`/files/${key}`),
          alt:
            actorName === undefined
              ? texts('issueMail.anonymousCommentPictureAlt')
              : texts('issueMail.commentPictureAlt', { who: actorName }),
        },
      ]
}

interface Pictured {
  readonly issue_id: number
  readonly issue_image_key: string | null
}

/** Returns the picture of a public issue, if it has one, and its map. Their addresses are the same for all recipients. */
export function issueImages({ issue_id, issue_image_key }: Pictured, summary: string, texts: Texts, urls: Urls) {
  const map = { url: urls.at(`/issues/${issue_id}/map.png`), alt: texts('issueMail.mapAlt') }
  if (issue_image_key === null) return [map]
  return [{ url: urls.at(`/files/${issue_image_key}`), alt: texts('issueMail.pictureAlt', { summary }) }, map]
}
