import { type Language, textsIn } from '../../locales/texts.ts'
import { breadcrumbList } from '../../html/json-ld.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toQuestion } from '../../questions/present.ts'
import { userName } from '../../users/present.ts'
import type { QuestionView } from './question-view.ts'

/** Structured data of a public question with its answers, and its breadcrumbs. */
export function questionJsonLd({ question: row, answers }: QuestionView, urls: Urls, language: Language): object[] {
  const question = toQuestion(row, urls)
  const { place } = question
  const person = (user: { readonly id: number; readonly name: string } | null) => ({
    '@type': 'Person',
    name: userName(user ?? { id: 0, name: '' }, language),
  })
  const listed = answers.map(({ id, answer, answerer, created_at }) => ({
    '@type': 'Answer',
    text: answer,
    author: person(answerer),
    datePublished: created_at,
    url: `${urls.at(`/questions/${question.id}`)}#answer-${id}`,
  }))
  const isAccepted = (index: number) => answers[index]?.id === question.accepted_answer_id
  const accepted = listed.find((_, index) => isAccepted(index))
  const texts = textsIn(language)
  return [
    {
      '@type': 'QAPage',
      mainEntity: {
        '@type': 'Question',
        name: question.question,
        text: question.question,
        author: person(question.asker),
        datePublished: question.created_at,
        answerCount: question.answer_count,
        ...(accepted ? { acceptedAnswer: accepted } : {}),
        suggestedAnswer: listed.filter((_, index) => !isAccepted(index)),
      },
    },
    breadcrumbList(
      [
        [texts('question.places'), '/places'],
        [place.name, `/places/${place.url_name}`],
        [texts('question.questions'), `/places/${place.url_name}/questions`],
        [question.question, `/questions/${question.id}`],
      ],
      urls,
    ),
  ]
}
