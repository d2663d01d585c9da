import { languageOf, textsIn } from '../../locales/texts.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mailingListHeaders, threadHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import type { QuestionNotificationContent } from '../recipients/question-notification-queries.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { composeMail, type ComposedMail } from './layout.ts'
import { toOneLine, shortenText } from './shorten-text.ts'

const QUESTION_MAX = 100
const NAME_MAX = 60
const QUOTE_MAX = 1_000

/** A recipient who may not see the question gets neither its text nor a link. @param signingKey from `findUnsubscribeKey` */
export function composeQuestionNotification(
  { locale, user_id }: { readonly locale: string; readonly user_id: number },
  content: QuestionNotificationContent,
  urls: Urls,
  signingKey: string,
): ComposedMail {
  const { type, question_id, place } = content
  const language = languageOf(locale)
  const texts = textsIn(language)
  const question = content.question === null ? undefined : toOneLine(content.question, QUESTION_MAX)
  const quote = content.answer === null ? undefined : shortenText(content.answer, QUOTE_MAX)
  const reason = content.reason === null ? undefined : shortenText(content.reason, QUOTE_MAX).text
  const heading = texts(`questionMail.headings.${type}`, {
    who: content.actor_name === null ? texts('questionMail.anonymous') : toOneLine(content.actor_name, NAME_MAX),
  })
  const explanation = texts.section('questionMail.explanations')[type]
  const token = unsubscribeToken(signingKey, { kind: 'question', user_id, question_id })
  const mail = composeMail(
    language,
    {
      subject: question === undefined ? heading : texts(`questionMail.subjects.${type}`, { question }),
      heading,
      summaryLines: [...(question === undefined ? [] : [question]), toOneLine(place, QUESTION_MAX)],
      intro: [
        ...(explanation === undefined ? [] : [explanation]),
        ...(reason === undefined ? [] : [texts('questionMail.reason', { text: reason })]),
      ],
      ...(quote === undefined
        ? {}
        : { quote: { text: quote.text, ...(quote.isShortened ? { shortenedHint: texts('questionMail.shortenedHint') } : {}) } }),
      button: question === undefined ? texts('questionMail.home') : texts('questionMail.button'),
      url: urls.at(question === undefined ? '/' : `/questions/${question_id}`),
      closing: [texts(`questionMail.mailReasons.${type}`)],
      unsubscribe: { text: texts('questionMail.unsubscribe'), url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  const list = { label: `question-${question_id}`, name: `Fixpoint question ${question_id}` }
  return { ...mail, headers: { ...mailingListHeaders(urls, list, token), ...threadHeaders(urls, question_id, 'question') } }
}
