import { type Language, languageOf, textsIn } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { DigestIssue } from '../../watch-areas/digest-queries.ts'
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

const SUMMARY_MAX = 100
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
