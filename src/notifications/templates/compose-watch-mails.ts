import { languageOf, textsIn, type Language } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { WatchNotificationContent, EligibleWatchRecipient } from '../../watch-areas/notification-queries.ts'
import { commentImages, issueImages, issueMailSubject } from './compose-issue-notification.ts'
import { composeMail, type Section, type ComposedMail } from './layout.ts'
import { toOneLine, shortenText } from './shorten-text.ts'
import type { DigestIssue } from '../../watch-areas/digest-queries.ts'

const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

type WatchRecipient = Pick<EligibleWatchRecipient, 'watch_area_id' | 'area_name' | 'locale'> & { readonly user_id: number }

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

function areaPhrase({ area_name, locale }: WatchRecipient): string {
  const texts = textsIn(languageOf(locale))
  return area_name === null ? texts('watchMail.inUnnamedArea') : texts('watchMail.inArea', { name: toOneLine(area_name, NAME_MAX) })
}

function unsubscribeLinks(recipient: WatchRecipient, urls: Urls, signingKey: string) {
  const texts = textsIn(languageOf(recipient.locale))
  return {
    settingsLink: { text: texts('watchMail.manage'), url: watchAreasPageUrl(urls) },
    unsubscribe: { text: texts('watchMail.unsubscribe'), url: unsubscribeUrl(urls, watchUnsubscribeToken(recipient, signingKey)) },
  }
}

const watchAreasPageUrl = (urls: Urls) => urls.at('/account/watch-areas')

const watchListHeaders = (recipient: WatchRecipient, urls: Urls, signingKey: string) =>
  mailingListHeaders(
    urls,
    { label: `watch-${recipient.watch_area_id}`, name: `Fixpoint watch area ${recipient.watch_area_id}` },
    watchUnsubscribeToken(recipient, signingKey),
  )

const watchUnsubscribeToken = ({ user_id, watch_area_id }: WatchRecipient, signingKey: string) =>
  unsubscribeToken(signingKey, { kind: 'watch', user_id, watch_area_id })

const ADDRESS_MAX = 100
/** The number of rows with a picture, so that a mail loads few files. */
const PICTURES_MAX = 12

type DigestRecipient = WatchRecipient & { readonly frequency: string }

/** Returns undefined if there is no content. @param issues from `listDigestIssues` for this digest */
export function composeDigest(
  recipient: DigestRecipient,
  issues: readonly DigestIssue[],
  urls: Urls,
  signingKey: string,
): ComposedMail | undefined {
  const [first] = issues
  if (!first) return undefined
  const language = languageOf(recipient.locale)
  const texts = textsIn(language)
  const { new_count, all_count } = first
  const updated_count = all_count - new_count
  const counts = [
    ...(new_count === 0 ? [] : [texts('watchMail.newReports', { count: new_count })]),
    ...(updated_count === 0 ? [] : [texts('watchMail.updates', { count: updated_count })]),
  ]
  const pictured = new Set(issues.filter(({ thumbnail_key }) => thumbnail_key !== null).slice(0, PICTURES_MAX))
  const section = (isNew: boolean, title: string): Section[] => {
    const rows = issues
      .filter(({ is_new }) => is_new === isNew)
      .map((issue) => toDigestRow(issue, pictured.has(issue), language, urls))
    return rows.length === 0 ? [] : [{ title, rows }]
  }
  const more = all_count - issues.length
  const mail = composeMail(
    language,
    {
      subject: `${counts.join(', ')} ${areaPhrase(recipient)}`,
      intro: [],
      banner: {
        url: urls.at(`/issues/map.png?ids=${issues.map(({ issue_id }) => issue_id).join(',')}`),
        alt: texts('watchMail.mapAlt', { count: issues.length }),
      },
      sections: [
        ...section(true, texts('watchMail.newTitle', { count: new_count })),
        ...section(false, texts('watchMail.updatedTitle', { count: updated_count })),
      ],
      ...(more === 0 ? {} : { links: [{ text: texts('watchMail.more', { count: more }), url: watchAreasPageUrl(urls) }] }),
      button: texts('watchMail.seeAreas'),
      url: watchAreasPageUrl(urls),
      closing: [texts(recipient.frequency === 'weekly' ? 'watchMail.reasonWeekly' : 'watchMail.reasonDaily')],
      ...unsubscribeLinks(recipient, urls, signingKey),
    },
    urls.root,
  )
  return { ...mail, headers: watchListHeaders(recipient, urls, signingKey) }
}

function toDigestRow(issue: DigestIssue, isPictured: boolean, language: Language, urls: Urls): Section['rows'][number] {
  const texts = textsIn(language)
  const changes = [
    ...(['acknowledged', 'closed', 'opened'] as const).flatMap((move) => (issue[move] > 0 ? [texts(`watchMail.${move}`)] : [])),
    ...(issue.comments > 0 ? [texts('watchMail.comments', { count: issue.comments })] : []),
  ]
  const summary = toOneLine(issue.summary, SUMMARY_MAX)
  return {
    text: `${summary} (#${issue.issue_id})`,
    url: urls.at(`/issues/${issue.issue_id}`),
    ...(isPictured
      ? { image: { url: urls.at(`/files/${issue.thumbnail_key ?? ''}`), alt: texts('issueMail.pictureAlt', { summary }) } }
      : {}),
    lines: [
      ...(issue.address ? [toOneLine(issue.address, ADDRESS_MAX)] : []),
      ...(changes.length > 0 ? [changes.join(', ')] : []),
      texts('issueMail.status', { status: texts(`issueMail.statuses.${issue.status}`) }),
    ],
  }
}
