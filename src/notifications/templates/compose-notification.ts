import { type Language, languageOf } from '../../errors/texts/languages.ts'
import type { Urls } from '../../http/request/urls.ts'
import { listHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import type { NotificationContent } from '../recipients/notification-queries.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { IssueNotificationEvent } from '../../outbox/event-types.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { inOneLine, shortened } from './shortened.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import type { NotificationWords, Reader } from './words/notification-words.ts'

export const notificationWords: Readonly<Record<Language, NotificationWords>> = { en, es, fr }
const SUMMARY_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

const readers: Readonly<Record<IssueNotificationEvent, Reader>> = {
  'comment.added': 'follower',
  'issue.acknowledged': 'follower',
  'issue.closed': 'follower',
  'issue.opened': 'follower',
  'issue.assigned': 'assignee',
  'issue.rejected': 'author',
  'comment.rejected': 'author',
  'comment.move_refused': 'author',
}

/**
 * Composes the mail of one notification. All mails about an issue share a subject and a thread, so that mail programs show one
 * conversation.
 * @param key from `findUnsubscribeKey`
 */
export function composeNotification(
  { locale, user_id }: { readonly locale: string; readonly user_id: number },
  facts: NotificationContent,
  urls: Urls,
  key: string,
): ComposedMail {
  const { type, issue_id, picture } = facts
  const language = languageOf(locale)
  const say = notificationWords[language]
  const summary = inOneLine(facts.summary, SUMMARY_MAX)
  const quote = facts.comment === null ? undefined : shortened(facts.comment, QUOTE_MAX)
  const reason = facts.reason === null ? undefined : shortened(facts.reason, QUOTE_MAX)
  const token = unsubscribeToken(key, { kind: 'issue', user_id, issue_id })
  const mail = composeMail(
    language,
    {
      subject:
        type in say.subjects ? say.subjects[type as keyof NotificationWords['subjects']](summary) : `${summary} (#${issue_id})`,
      heading: say.headings[type](facts.who === null ? say.anonymous : inOneLine(facts.who, NAME_MAX)),
      about: [summary, ...(facts.address ? [inOneLine(facts.address, SUMMARY_MAX)] : []), say.status(say.statuses[facts.status])],
      before: [...(say.explained[type] ?? []), ...(reason === undefined ? [] : [say.reason(reason.text)])],
      ...(quote === undefined ? {} : { quote: { text: quote.text, ...(quote.isCut ? { goesOn: say.goesOn } : {}) } }),
      ...(picture === null ? {} : { links: [{ text: `${say.hasPicture} ${say.picture}`, url: urls.at(`/files/${picture}`) }] }),
      button: say.button,
      url: urls.at(`/issues/${issue_id}`),
      after: [say.why[readers[type]]],
      leave: { text: say.leave, url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  const list = { label: `issue-${issue_id}`, name: `Fixpoint issue ${issue_id}` }
  return { ...mail, headers: { ...listHeaders(urls, list, token), ...threadHeaders(urls, issue_id) } }
}
