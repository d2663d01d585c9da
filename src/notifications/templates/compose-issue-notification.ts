import { type Language, languageOf } from '../../errors/texts/languages.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import type { IssueNotificationContent } from '../recipients/issue-notification-queries.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { IssueNotificationEventType } from '../../outbox/event-types.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { toOneLine, shortenText } from './shorten-text.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import type { NotificationWords, RecipientRole } from './words/notification-words.ts'

export const notificationWords: Readonly<Record<Language, NotificationWords>> = { en, es, fr }
const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

const recipientRoles: Readonly<Record<IssueNotificationEventType, RecipientRole>> = {
  'comment.added': 'follower',
  'issue.acknowledged': 'follower',
  'issue.closed': 'follower',
  'issue.reopened': 'follower',
  'issue.assigned': 'assignee',
  'issue.rejected': 'author',
  'comment.rejected': 'author',
  'comment.transition_refused': 'author',
}

/** All mails about an issue share a thread. @param signingKey from `findUnsubscribeKey` */
export function composeIssueNotification(
  { locale, user_id }: { readonly locale: string; readonly user_id: number },
  content: IssueNotificationContent,
  urls: Urls,
  signingKey: string,
): ComposedMail {
  const { type, issue_id, image_key } = content
  const language = languageOf(locale)
  const words = notificationWords[language]
  const summary = toOneLine(content.summary, SUMMARY_MAX)
  const actorName = content.actor_name === null ? undefined : toOneLine(content.actor_name, NAME_MAX)
  const organization = content.actor_organization === null ? '' : ` (${toOneLine(content.actor_organization, NAME_MAX)})`
  const quote = content.comment === null ? undefined : shortenText(content.comment, QUOTE_MAX)
  const reason = content.reason === null ? undefined : shortenText(content.reason, QUOTE_MAX)
  const token = unsubscribeToken(signingKey, { kind: 'issue', user_id, issue_id })
  const mail = composeMail(
    language,
    {
      subject: words.subjects[type](`${summary} (#${issue_id})`, actorName),
      heading: words.headings[type](actorName === undefined ? words.anonymous : `${actorName}${organization}`),
      summaryLines: [
        summary,
        ...(content.address ? [toOneLine(content.address, SUMMARY_MAX)] : []),
        words.status(words.statuses[content.status]),
      ],
      intro: [...(words.explanations[type] ?? []), ...(reason === undefined ? [] : [words.reason(reason.text)])],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: words.shortenedHint } : {}) } }),
      ...(image_key === null
        ? {}
        : { links: [{ text: `${words.pictureHint} ${words.picture}`, url: urls.at(`/files/${image_key}`) }] }),
      images: [
        ...commentImages(image_key, actorName, words, urls),
        ...(isIssuePublic(type) ? issueImages(content, summary, words, urls) : []),
      ],
      button: words.button,
      url: urls.at(`/issues/${issue_id}`),
      closing: [words.mailReasons[recipientRoles[type]]],
      unsubscribe: { text: words.unsubscribe, url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  const list = { label: `issue-${issue_id}`, name: `Fixpoint issue ${issue_id}` }
  return { ...mail, headers: { ...mailingListHeaders(urls, list, token), ...threadHeaders(urls, issue_id) } }
}

/** A rejected comment may belong to an issue that is not public. */
const isIssuePublic = (type: IssueNotificationEventType): boolean => type !== 'issue.rejected' && type !== 'comment.rejected'

/** Returns the picture of a public comment, if it has one. */
export function commentImages(key: string | null, actorName: string | undefined, words: NotificationWords, urls: Urls) {
  return key === null ? [] : [{ url: urls.at(`/files/${key}`), alt: words.commentPictureAlt(actorName) }]
}

interface Pictured {
  readonly issue_id: number
  readonly issue_image_key: string | null
}

/** Returns the picture of a public issue, if it has one, and its map. Their addresses are the same for all recipients. */
export function issueImages({ issue_id, issue_image_key }: Pictured, summary: string, words: NotificationWords, urls: Urls) {
  const map = { url: urls.at(`/issues/${issue_id}/map.png`), alt: words.mapAlt }
  if (issue_image_key === null) return [map]
  return [{ url: urls.at(`/files/${issue_image_key}`), alt: words.pictureAlt(summary) }, map]
}
