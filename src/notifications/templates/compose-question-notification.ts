import type { Urls } from '../../http/request/urls.ts'
import { listHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import type { QuestionNotificationContent } from '../recipients/question-notification-queries.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { languageOf } from '../../errors/texts/languages.ts'
import { composeMail } from './layout.ts'
import type { ComposedMail } from './composed-mail.ts'
import { inOneLine, shortened } from './shortened.ts'
import { questionWords } from './words/question-words.ts'

const QUESTION_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

/**
 * Composes the mail of one notification about a question or an answer. All mails about a question share a thread and a list. If
 * the recipient may not see the question, the mail neither quotes nor links it.
 * @param key from `findUnsubscribeKey`
 */
export function composeQuestionNotification(
  { locale, user_id }: { readonly locale: string; readonly user_id: number },
  facts: QuestionNotificationContent,
  urls: Urls,
  key: string,
): ComposedMail {
  const { type, question_id, place } = facts
  const language = languageOf(locale)
  const say = questionWords[language]
  const question = facts.question === null ? undefined : inOneLine(facts.question, QUESTION_MAX)
  const quote = facts.answer === null ? undefined : shortened(facts.answer, QUOTE_MAX)
  const reason = facts.reason === null ? undefined : shortened(facts.reason, QUOTE_MAX).text
  const heading = say.headings[type](facts.who === null ? say.somebody : inOneLine(facts.who, NAME_MAX))
  const explained = say.explained[type]
  const token = unsubscribeToken(key, { kind: 'question', user_id, question_id })
  const mail = composeMail(
    language,
    {
      subject: question === undefined ? heading : say.subjects[type](question),
      heading,
      about: [...(question === undefined ? [] : [question]), inOneLine(place, QUESTION_MAX)],
      before: [...(explained === undefined ? [] : [explained]), ...(reason === undefined ? [] : [say.reason(reason)])],
      ...(quote === undefined ? {} : { quote: { text: quote.text, ...(quote.isCut ? { goesOn: say.goesOn } : {}) } }),
      button: question === undefined ? say.home : say.button,
      url: urls.at(question === undefined ? '/' : `/questions/${question_id}`),
      after: [say.why[type]],
      leave: { text: say.leave, url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  const list = { label: `question-${question_id}`, name: `Fixpoint question ${question_id}` }
  return { ...mail, headers: { ...listHeaders(urls, list, token), ...threadHeaders(urls, question_id, 'question') } }
}
