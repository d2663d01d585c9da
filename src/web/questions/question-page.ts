import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { ANSWER_MAX } from '../../answers/schema.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toQuestion } from '../../questions/present.ts'
import { answerEntry, hiddenAnswerEntry } from './answer-entries.ts'
import { errorSummary, type FieldErrors, hiddenField } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import type { FormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { questionJsonLd } from './question-json-ld.ts'
import type { QuestionView } from './question-view.ts'
import { truncate, formatNumber } from '../../html/format.ts'
import { formatLocalTime } from '../../html/local-format.ts'
import { userName } from '../../users/present.ts'

export interface RejectedAnswerForm {
  readonly form: 'answer' | 'action'
  readonly values: FormValues
  readonly errors: FieldErrors
}

/** Every part of the page gets this. */
interface Context {
  readonly view: QuestionView
  readonly links: Links
  readonly texts: Texts
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
  const texts = textsIn(language)
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
    title: rejected ? texts('question.errorTitle', { title }) : title,
    description: truncate([texts('question.description', { place: place.name }), answers[0]?.answer].filter(Boolean).join(' · ')),
    language,
    ...(rejected || !isPublic ? {} : { canonical: `/questions/${question.id}`, jsonLd: questionJsonLd(view, urls, language) }),
    body: html`<p class="trail"><a href="${links.to('/places')}">${texts('question.places')}</a> ›
        <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a> › <a href="${links.to(list)}">${texts('question.questions')}</a></p>
      <article>
        <h1 class="text">${question.question}</h1>
        <p class="quiet">${texts('question.askedBy', { name: userName(asker, language) })}, ${formatLocalTime(question.created_at, language, view.centre)}</p>
        ${rejected && !isAnswerRejected ? errorSummary(rejected.errors, [], language) : ''}
        ${isPublic ? '' : hiddenNotice(context, isOwn)}
        <section aria-labelledby="answers">
          <h2 id="answers">${texts('question.answers', { count: question.answer_count })}</h2>
          ${question.answer_count > answers.length ? html`<p class="quiet">${richText(texts, 'question.firstAnswers', { count: formatNumber(answers.length, language), all: answersJson })}</p>` : ''}
          ${entries.length > 0 ? html`<ol class="comments">${entries}</ol>` : html`<p class="empty">${emptyText(context, isOwn, links.to(list))}</p>`}
        </section>
        ${viewer || !isPublic ? '' : loginPrompt(context)}
        ${viewer && isPublic ? answerForm(context, isAnswerRejected ? rejected : undefined) : ''}
        <p class="quiet">${isOwn ? '' : html`<a href="${links.relative(question.flag_url)}">${texts('question.flagQuestion')}</a>`}</p>
      </article>`,
  }
}

function hiddenNotice({ view: { question, hiddenState }, links: { to }, texts }: Context, isOwn: boolean): SafeHtml {
  const item = hiddenState?.item_id ?? null
  const audience = isOwn ? texts('question.audience.ownQuestion') : texts('question.audience.question')
  if (question.moderation_state === 'rejected')
    return html`<p class="waiting"><b>${texts('question.rejectedQuestion')}</b> ${audience}.
      ${hiddenState?.reason ? texts('question.moderatorSays', { reason: hiddenState.reason }) : ''}</p>`
  return html`<p class="${isOwn ? 'done' : 'waiting'}"${isOwn ? html` role="status"` : ''}><b>${texts('question.pendingQuestion')}</b>
    ${texts('question.untilThen', { audience })} ${isOwn || item === null ? '' : html`<a href="${to(`/moderation/${item}`)}">${texts('question.decide')}</a>`}</p>`
}

function emptyText({ view: { viewer, isPublic }, texts }: Context, isOwn: boolean, list: string): SafeHtml {
  const others = (text: string) => html`<a href="${list}">${text}</a>`
  if (!isPublic) return richText(texts, 'question.notOpenYet', { others })
  if (isOwn) return richText(texts, 'question.shareIt', { others })
  return viewer
    ? richText(texts, 'question.answerIt', { write: (text) => html`<a href="#field-answer">${text}</a>`, others })
    : richText(texts, 'question.noAnswers', { others })
}

function loginPrompt({ view: { question }, links: { to }, texts }: Context): SafeHtml {
  const return_to = `/questions/${question.id}#say`
  return html`<p id="say">${richText(texts, 'question.logIn', { logIn: (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`, register: (text) => html`<a href="${to('/register', { return_to })}">${text}</a>` })}</p>`
}

function answerForm({ view, links, texts, language }: Context, rejected: RejectedAnswerForm | undefined): SafeHtml {
  const form = createForm(language, rejected)
  const answer = { hint: texts('question.answerHint'), maxlength: ANSWER_MAX, required: true }
  const field = form.textarea('answer', texts('question.yourAnswer'), answer)
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${texts('question.writeAnswer')}</h2>
    ${form.errorSummary()}
    <form method="post" action="${links.to(`/questions/${view.question.id}/answers`)}#say">
      ${hiddenField('form_key', newSecret())}
      ${field}
      <p><button>${texts('question.answer')}</button></p>
    </form>
  </section>`
}
