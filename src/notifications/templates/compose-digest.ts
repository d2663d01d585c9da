import type { Urls } from '../../http/request/urls.ts'
import { type Language, languageOf } from '../../errors/texts/languages.ts'
import type { DigestIssue } from '../../watch-areas/digest-content-queries.ts'
import { notificationWords } from './compose-notification.ts'
import { areaWords, endings, headersOf, watchAreasUrl, type WatchReader } from './compose-watch-notification.ts'
import { composeMail, type Section } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { inOneLine } from './shortened.ts'
import { watchWords } from './words/watch-words.ts'

const SUMMARY_MAX = 100
const ADDRESS_MAX = 100

export type DigestReader = WatchReader & { readonly frequency: string }

/**
 * Composes the daily or weekly mail of a watch area: new issues and updates of others. Returns undefined if there is no
 * content.
 * @param issues from `listDigestIssues` for this digest
 * @param key from `findUnsubscribeKey`
 */
export function composeDigest(to: DigestReader, issues: readonly DigestIssue[], urls: Urls, key: string): ComposedMail | undefined {
  const [first] = issues
  if (!first) return undefined
  const language = languageOf(to.locale)
  const say = watchWords[language]
  const { new_count, all_count } = first
  const updated_count = all_count - new_count
  const counts = [
    ...(new_count === 0 ? [] : [say('newReports', { count: new_count })]),
    ...(updated_count === 0 ? [] : [say('updates', { count: updated_count })]),
  ]
  const section = (isNew: boolean, title: string): Section[] => {
    const rows = issues.filter(({ is_new }) => is_new === isNew).map((issue) => rowOf(issue, language, urls))
    return rows.length === 0 ? [] : [{ title, rows }]
  }
  const more = all_count - issues.length
  const mail = composeMail(
    language,
    {
      subject: `${counts.join(', ')} ${areaWords(to)}`,
      before: [],
      sections: [
        ...section(true, say('newTitle', { count: new_count })),
        ...section(false, say('updatedTitle', { count: updated_count })),
      ],
      ...(more === 0 ? {} : { links: [{ text: say('more', { count: more }), url: watchAreasUrl(urls) }] }),
      button: say('seeAreas'),
      url: watchAreasUrl(urls),
      after: [say(to.frequency === 'weekly' ? 'whyWeekly' : 'whyDaily')],
      ...endings(to, urls, key),
    },
    urls.root,
  )
  return { ...mail, headers: headersOf(to, urls, key) }
}

function rowOf(issue: DigestIssue, language: Language, urls: Urls): Section['rows'][number] {
  const [say, { statuses, status }] = [watchWords[language], notificationWords[language]]
  const happened = [
    ...(['acknowledged', 'closed', 'opened'] as const).flatMap((move) => (issue[move] > 0 ? [say(move)] : [])),
    ...(issue.comments > 0 ? [say('comments', { count: issue.comments })] : []),
  ]
  return {
    text: `${inOneLine(issue.summary, SUMMARY_MAX)} (#${issue.issue_id})`,
    url: urls.at(`/issues/${issue.issue_id}`),
    lines: [
      ...(issue.address ? [inOneLine(issue.address, ADDRESS_MAX)] : []),
      ...(happened.length > 0 ? [happened.join(', ')] : []),
      status(statuses[issue.status]),
    ],
  }
}
