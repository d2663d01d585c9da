import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { languageOf } from '../../errors/texts/languages.ts'
import type { WatchNotificationContent, EligibleWatchRecipient } from '../../watch-areas/notification-queries.ts'
import { commentImages, issueImages, notificationWords } from './compose-issue-notification.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { toOneLine, shortenText } from './shorten-text.ts'
import { watchWords } from './words/watch-words.ts'

const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

export type WatchRecipient = Pick<EligibleWatchRecipient, 'watch_area_id' | 'area_name' | 'locale'> & { readonly user_id: number }

/** The mail shares the thread of all mails about the issue and belongs to the list of the area. */
export function composeWatchNotification(
  recipient: WatchRecipient,
  content: WatchNotificationContent,
  urls: Urls,
  signingKey: string,
): ComposedMail {
  const { type, issue_id, image_key, address, city } = content
  const language = languageOf(recipient.locale)
  const [translate, issueWords] = [watchWords[language], notificationWords[language]]
  const where = areaPhrase(recipient)
  const summary = toOneLine(content.summary, SUMMARY_MAX)
  const numbered = `${summary} (#${issue_id})`
  const actorName = content.actor_name === null ? undefined : toOneLine(content.actor_name, NAME_MAX)
  const quote = content.text === null || content.text.trim() === '' ? undefined : shortenText(content.text, QUOTE_MAX)
  const isNew = type === 'issue.reported'
  const pictureHint = isNew ? issueWords.reportPictureHint : issueWords.pictureHint
  const place = [address, city].flatMap((text) => (text ? [toOneLine(text, SUMMARY_MAX)] : []))
  const mail = composeMail(
    language,
    {
      subject: isNew ? translate('reportedSubject', { where, summary: numbered }) : issueWords.subjects[type](numbered, actorName),
      heading: translate(isNew ? 'reported' : 'updated', { where }),
      summaryLines: [
        summary,
        ...(isNew ? [] : [issueWords.headings[type](actorName ?? issueWords.anonymous)]),
        ...place,
        issueWords.status(issueWords.statuses[content.status]),
        ...(isNew && actorName !== undefined ? [translate('reportedBy', { who: actorName })] : []),
      ],
      intro: [],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: issueWords.shortenedHint } : {}) } }),
      ...(image_key === null
        ? {}
        : { links: [{ text: `${pictureHint} ${issueWords.picture}`, url: urls.at(`/files/${image_key}`) }] }),
      images: [
        // The picture of a new report is that of its issue.
        ...(isNew ? [] : commentImages(image_key, actorName, issueWords, urls)),
        ...issueImages(content, summary, issueWords, urls),
      ],
      button: issueWords.button,
      url: urls.at(`/issues/${issue_id}`),
      closing: [translate('reasonInstant')],
      ...unsubscribeLinks(recipient, urls, signingKey),
    },
    urls.root,
  )
  return { ...mail, headers: { ...watchListHeaders(recipient, urls, signingKey), ...threadHeaders(urls, issue_id) } }
}

export function areaPhrase({ area_name, locale }: WatchRecipient): string {
  const translate = watchWords[languageOf(locale)]
  return area_name === null ? translate('inUnnamedArea') : translate('inArea', { name: toOneLine(area_name, NAME_MAX) })
}

export function unsubscribeLinks(recipient: WatchRecipient, urls: Urls, signingKey: string) {
  const translate = watchWords[languageOf(recipient.locale)]
  return {
    settingsLink: { text: translate('manage'), url: watchAreasPageUrl(urls) },
    unsubscribe: { text: translate('unsubscribe'), url: unsubscribeUrl(urls, watchUnsubscribeToken(recipient, signingKey)) },
  }
}

export const watchAreasPageUrl = (urls: Urls) => urls.at('/account/watch-areas')

export const watchListHeaders = (recipient: WatchRecipient, urls: Urls, signingKey: string) =>
  mailingListHeaders(
    urls,
    { label: `watch-${recipient.watch_area_id}`, name: `Fixpoint watch area ${recipient.watch_area_id}` },
    watchUnsubscribeToken(recipient, signingKey),
  )

const watchUnsubscribeToken = ({ user_id, watch_area_id }: WatchRecipient, signingKey: string) =>
  unsubscribeToken(signingKey, { kind: 'watch', user_id, watch_area_id })
