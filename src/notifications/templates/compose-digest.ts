import type { Urls } from '../../http/request/urls.ts'
import { type Language, languageOf } from '../../errors/texts/languages.ts'
import type { DigestIssue } from '../../watch-areas/digest-content-queries.ts'
import { notificationWords } from './compose-issue-notification.ts'
import {
  areaPhrase,
  unsubscribeLinks,
  watchListHeaders,
  watchAreasPageUrl,
  type WatchRecipient,
} from './compose-watch-notification.ts'
import { composeMail, type Section } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { toOneLine } from './shorten-text.ts'
import { watchWords } from './words/watch-words.ts'

const SUMMARY_MAX = 100
const ADDRESS_MAX = 100
/** The number of rows with a picture, so that a mail loads few files. */
const PICTURES_MAX = 12

export type DigestRecipient = WatchRecipient & { readonly frequency: string }

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
  const translate = watchWords[language]
  const { new_count, all_count } = first
  const updated_count = all_count - new_count
  const counts = [
    ...(new_count === 0 ? [] : [translate('newReports', { count: new_count })]),
    ...(updated_count === 0 ? [] : [translate('updates', { count: updated_count })]),
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
        alt: translate('mapAlt', { count: issues.length }),
      },
      sections: [
        ...section(true, translate('newTitle', { count: new_count })),
        ...section(false, translate('updatedTitle', { count: updated_count })),
      ],
      ...(more === 0 ? {} : { links: [{ text: translate('more', { count: more }), url: watchAreasPageUrl(urls) }] }),
      button: translate('seeAreas'),
      url: watchAreasPageUrl(urls),
      closing: [translate(recipient.frequency === 'weekly' ? 'reasonWeekly' : 'reasonDaily')],
      ...unsubscribeLinks(recipient, urls, signingKey),
    },
    urls.root,
  )
  return { ...mail, headers: watchListHeaders(recipient, urls, signingKey) }
}

function toDigestRow(issue: DigestIssue, isPictured: boolean, language: Language, urls: Urls): Section['rows'][number] {
  const [translate, { statuses, status, pictureAlt }] = [watchWords[language], notificationWords[language]]
  const changes = [
    ...(['acknowledged', 'closed', 'opened'] as const).flatMap((move) => (issue[move] > 0 ? [translate(move)] : [])),
    ...(issue.comments > 0 ? [translate('comments', { count: issue.comments })] : []),
  ]
  const summary = toOneLine(issue.summary, SUMMARY_MAX)
  return {
    text: `${summary} (#${issue.issue_id})`,
    url: urls.at(`/issues/${issue.issue_id}`),
    ...(isPictured ? { image: { url: urls.at(`/files/${issue.thumbnail_key ?? ''}`), alt: pictureAlt(summary) } } : {}),
    lines: [
      ...(issue.address ? [toOneLine(issue.address, ADDRESS_MAX)] : []),
      ...(changes.length > 0 ? [changes.join(', ')] : []),
      status(statuses[issue.status]),
    ],
  }
}
