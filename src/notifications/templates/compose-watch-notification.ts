import type { Urls } from '../../http/request/urls.ts'
import { listHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { languageOf } from '../../errors/texts/languages.ts'
import type { WatchNotificationContent, WatchNotification } from '../../watch-areas/notification-queries.ts'
import { notificationWords } from './compose-notification.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { inOneLine, shortened } from './shortened.ts'
import { watchWords } from './words/watch-words.ts'

const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

export type WatchReader = Pick<WatchNotification, 'watch_area_id' | 'area_name' | 'locale'> & { readonly user_id: number }

/**
 * Composes the mail of one event in a watch area. It shares the subject of all mails about the issue and belongs to the list of
 * the area, which its unsubscribe link ends.
 * @param key from `findUnsubscribeKey`
 */
export function composeWatchNotification(to: WatchReader, news: WatchNotificationContent, urls: Urls, key: string): ComposedMail {
  const { type, issue_id, picture, address, city } = news
  const language = languageOf(to.locale)
  const [say, sayOfIssue] = [watchWords[language], notificationWords[language]]
  const where = areaWords(to)
  const summary = inOneLine(news.summary, SUMMARY_MAX)
  const who = news.who === null ? undefined : inOneLine(news.who, NAME_MAX)
  const quote = news.text === null || news.text.trim() === '' ? undefined : shortened(news.text, QUOTE_MAX)
  const isNew = type === 'issue.reported'
  const place = [address, city].flatMap((text) => (text ? [inOneLine(text, SUMMARY_MAX)] : []))
  const mail = composeMail(
    language,
    {
      subject: `${summary} (#${issue_id})`,
      heading: say(isNew ? 'reported' : 'updated', { where }),
      about: [
        summary,
        ...(isNew ? [] : [sayOfIssue.headings[type](who ?? sayOfIssue.anonymous)]),
        ...place,
        sayOfIssue.status(sayOfIssue.statuses[news.status]),
        ...(isNew && who !== undefined ? [say('reportedBy', { who })] : []),
      ],
      before: [],
      ...(quote === undefined ? {} : { quote: { text: quote.text, ...(quote.isCut ? { goesOn: sayOfIssue.goesOn } : {}) } }),
      ...(picture === null
        ? {}
        : { links: [{ text: `${sayOfIssue.hasPicture} ${sayOfIssue.picture}`, url: urls.at(`/files/${picture}`) }] }),
      button: sayOfIssue.button,
      url: urls.at(`/issues/${issue_id}`),
      after: [say('whyAtOnce')],
      ...endings(to, urls, key),
    },
    urls.root,
  )
  return { ...mail, headers: { ...headersOf(to, urls, key), ...threadHeaders(urls, issue_id) } }
}

/** Returns a phrase such as 'in Downtown'. */
export function areaWords({ area_name, locale }: WatchReader): string {
  const say = watchWords[languageOf(locale)]
  return area_name === null ? say('inSomeArea') : say('inArea', { name: inOneLine(area_name, NAME_MAX) })
}

/** Returns the links that end the mails of an area or reduce their frequency. */
export function endings(to: WatchReader, urls: Urls, key: string) {
  const say = watchWords[languageOf(to.locale)]
  return {
    manage: { text: say('manage'), url: watchAreasUrl(urls) },
    leave: { text: say('leave'), url: unsubscribeUrl(urls, tokenOf(to, key)) },
  }
}

export const watchAreasUrl = (urls: Urls) => urls.at('/account/watch-areas')

export const headersOf = (to: WatchReader, urls: Urls, key: string) =>
  listHeaders(urls, { label: `watch-${to.watch_area_id}`, name: `Fixpoint watch area ${to.watch_area_id}` }, tokenOf(to, key))

const tokenOf = ({ user_id, watch_area_id }: WatchReader, key: string) =>
  unsubscribeToken(key, { kind: 'watch', user_id, watch_area_id })
