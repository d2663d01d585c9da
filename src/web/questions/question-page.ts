import { ANSWER_MAX } from '../../answers/schema.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toQuestion } from '../../questions/present.ts'
import { answerEntry, hiddenAnswerEntry } from './answer-entries.ts'
import { errorSummary, type FieldErrors, hiddenField, textareaField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { questionJsonLd } from './question-json-ld.ts'
import type { QuestionView } from './question-view.ts'
import { truncate, formatNumber } from '../../html/format.ts'
import { formatLocalTime } from '../../html/local-format.ts'
import { formatMessage } from '../../errors/texts/in-language.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { userName } from '../../users/present.ts'
import { questionTexts, type QuestionTexts } from './question-texts.ts'

export interface RejectedAnswerForm {
  readonly form: 'answer' | 'action'
  readonly values: FormValues
  readonly errors: FieldErrors
}

/** Every part of the page gets this. */
interface Context {
  readonly view: QuestionView
  readonly links: Links
  readonly texts: QuestionTexts
  readonly language: Language
}

export function questionPage(
  view: QuestionView,
  rejected: RejectedAnswerForm | undefined,
  urls: Urls,
  language: Language,
): HtmlPage {
  const { viewer, isPublic, question: row, answers, hidden } = view
  const links = createLinks(urls)
  const texts = questionTexts[language]
  const context = { view, links, urls, texts, language }
  const question = toQuestion(row, urls)
  const { place, asker } = question
  const list = `/places/${place.url_name}/questions`
  const isOwn = viewer !== null && asker.id === viewer.id
  const isAnswerRejected = rejected?.form === 'answer' && isPublic
  const entries = [
    ...answers.map((answer) => answerEntry(answer, context)),
    ...hidden.map((answer) => hiddenAnswerEntry(answer, context)),
  ]
  const title = truncate(question.question, 80)
  const answersJson = (text: string) => html`<a href="${links.relative(question.answers_url)}">${text}</a>`
  return {
    title: rejected ? texts.errorTitle(title) : title,
    description: truncate([texts.description(place.name), answers[0]?.answer].filter(Boolean).join(' · ')),
    language,
    ...(rejected || !isPublic ? {} : { canonical: `/questions/${question.id}`, jsonLd: questionJsonLd(view, urls, language) }),
    body: html`<p class="trail"><a href="${links.to('/places')}">${texts.places}</a> ›
        <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a> › <a href="${links.to(list)}">${texts.questions}</a></p>
      <article>
        <h1 class="text">${question.question}</h1>
        <p class="quiet">${texts.askedBy(userName(asker, language))}, ${formatLocalTime(question.created_at, language, view.centre)}</p>
        ${rejected && !isAnswerRejected ? errorSummary(rejected.errors, [], language) : ''}
        ${isPublic ? '' : hiddenNotice(context, isOwn)}
        <section aria-labelledby="answers">
          <h2 id="answers">${formatMessage(texts.answers, { count: question.answer_count }, language)}</h2>
          ${question.answer_count > answers.length ? html`<p class="quiet">${texts.firstAnswers(formatNumber(answers.length, language), answersJson)}</p>` : ''}
          ${entries.length > 0 ? html`<ol class="comments">${entries}</ol>` : html`<p class="empty">${emptyText(context, isOwn, links.to(list))}</p>`}
        </section>
        ${viewer || !isPublic ? '' : loginPrompt(context)}
        ${viewer && isPublic ? answerForm(context, isAnswerRejected ? rejected : undefined) : ''}
        <p class="quiet"><a href="${links.relative(question.url)}">${texts.questionJson}</a> ·
          ${answersJson(texts.answersJson)}${isOwn ? '' : html` · <a href="${links.relative(question.flag_url)}">${texts.flagQuestion}</a>`}</p>
      </article>`,
  }
}

function hiddenNotice({ view: { question, hiddenState }, links: { to }, texts }: Context, isOwn: boolean): SafeHtml {
  const item = hiddenState?.item_id ?? null
  const audience = isOwn ? texts.audience.ownQuestion : texts.audience.question
  if (question.moderation_state === 'rejected')
    return html`<p class="waiting"><b>${texts.rejectedQuestion}</b> ${audience}.
      ${hiddenState?.reason ? texts.moderatorSays(hiddenState.reason) : ''}</p>`
  return html`<p class="${isOwn ? 'done' : 'waiting'}"${isOwn ? html` role="status"` : ''}><b>${texts.pendingQuestion}</b>
    ${texts.untilThen(audience)} ${isOwn || item === null ? '' : html`<a href="${to(`/moderation/${item}`)}">${texts.decide}</a>`}</p>`
}

function emptyText({ view: { viewer, isPublic }, texts }: Context, isOwn: boolean, list: string): SafeHtml {
  const others = (text: string) => html`<a href="${list}">${text}</a>`
  if (!isPublic) return texts.notOpenYet(others)
  if (isOwn) return texts.shareIt(others)
  return viewer ? texts.answerIt((text) => html`<a href="#field-answer">${text}</a>`, others) : texts.noAnswers(others)
}

function loginPrompt({ view: { question }, links: { to }, texts }: Context): SafeHtml {
  const return_to = `/questions/${question.id}#say`
  return html`<p id="say">${texts.logIn(
    (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`,
    (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`,
  )}</p>`
}

function answerForm({ view, links, texts, language }: Context, rejected: RejectedAnswerForm | undefined): SafeHtml {
  const { values, errors }: Pick<RejectedAnswerForm, 'values' | 'errors'> = rejected ?? { values: {}, errors: {} }
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${texts.writeAnswer}</h2>
    ${errorSummary(errors, ['answer'], language)}
    <form method="post" action="${links.to(`/questions/${view.question.id}/answers`)}#say">
      ${hiddenField('form_key', newSecret())}
      ${textareaField({
        name: 'answer',
        label: texts.yourAnswer,
        hint: texts.answerHint,
        value: readText(values, 'answer'),
        maxlength: ANSWER_MAX,
        required: true,
        error: errors['answer'],
        language,
      })}
      <p><button>${texts.answer}</button></p>
    </form>
  </section>`
}
