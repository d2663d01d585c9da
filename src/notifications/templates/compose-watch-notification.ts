import { languageOf, textsIn } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { WatchNotificationContent, EligibleWatchRecipient } from '../../watch-areas/notification-queries.ts'
import { commentImages, issueImages, issueMailSubject } from './compose-issue-notification.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { toOneLine, shortenText } from './shorten-text.ts'

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
  const texts = textsIn(language)
  const where = areaPhrase(recipient)
  const summary = toOneLine(content.summary, SUMMARY_MAX)
  const numbered = `${summary} (#${issue_id})`
  const actorName = content.actor_name === null ? undefined : toOneLine(content.actor_name, NAME_MAX)
  const quote = content.text === null || content.text.trim() === '' ? undefined : shortenText(content.text, QUOTE_MAX)
  const isNew = type === 'issue.reported'
  const pictureHint = isNew ? texts('issueMail.reportPictureHint') : texts('issueMail.pictureHint')
  const place = [address, city].flatMap((text) => (text ? [toOneLine(text, SUMMARY_MAX)] : []))
  const mail = composeMail(
    language,
    {
      subject: isNew
        ? texts('watchMail.reportedSubject', { where, summary: numbered })
        : issueMailSubject(type, numbered, actorName, texts),
      heading: texts(isNew ? 'watchMail.reported' : 'watchMail.updated', { where }),
      summaryLines: [
        numbered,
        ...(isNew ? [] : [texts(`issueMail.headings.${type}`, { who: actorName ?? texts('issueMail.anonymous') })]),
        ...place,
        texts('issueMail.status', { status: texts(`issueMail.statuses.${content.status}`) }),
        ...(isNew && actorName !== undefined ? [texts('watchMail.reportedBy', { who: actorName })] : []),
      ],
      intro: [],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: texts('issueMail.shortenedHint') } : {}) } }),
      ...(image_key === null
        ? {}
        : { links: [{ text: `${pictureHint} ${texts('issueMail.picture')}`, url: urls.at(`/files/${image_key}`) }] }),
      images: [
        // The picture of a new report is that of its issue.
        ...(isNew ? [] : commentImages(image_key, actorName, texts, urls)),
        ...issueImages(content, summary, texts, urls),
      ],
      button: texts('issueMail.button'),
      url: urls.at(`/issues/${issue_id}`),
      closing: [texts('watchMail.reasonInstant')],
      ...unsubscribeLinks(recipient, urls, signingKey),
    },
    urls.root,
  )
  return { ...mail, headers: { ...watchListHeaders(recipient, urls, signingKey), ...threadHeaders(urls, issue_id) } }
}

export function areaPhrase({ area_name, locale }: WatchRecipient): string {
  const texts = textsIn(languageOf(locale))
  return area_name === null ? texts('watchMail.inUnnamedArea') : texts('watchMail.inArea', { name: toOneLine(area_name, NAME_MAX) })
}

export function unsubscribeLinks(recipient: WatchRecipient, urls: Urls, signingKey: string) {
  const texts = textsIn(languageOf(recipient.locale))
  return {
    settingsLink: { text: texts('watchMail.manage'), url: watchAreasPageUrl(urls) },
    unsubscribe: { text: texts('watchMail.unsubscribe'), url: unsubscribeUrl(urls, watchUnsubscribeToken(recipient, signingKey)) },
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
