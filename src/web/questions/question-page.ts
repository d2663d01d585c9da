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
import type { QuestionView } from './question-view.ts'
import { truncate, formatCount, formatDateTime } from '../../html/format.ts'

export interface RejectedAnswerForm {
  readonly form: 'answer' | 'action'
  readonly values: FormValues
  readonly errors: FieldErrors
}

export function questionPage(view: QuestionView, rejected: RejectedAnswerForm | undefined, urls: Urls): HtmlPage {
  const { viewer, isPublic, question: row, answers, hidden } = view
  const links = createLinks(urls)
  const question = toQuestion(row, urls)
  const { place, asker } = question
  const list = `/places/${place.url_name}/questions`
  const isOwn = viewer !== null && asker.id === viewer.id
  const isAnswerRejected = rejected?.form === 'answer' && isPublic
  const entries = [
    ...answers.map((answer) => answerEntry(answer, view, urls)),
    ...hidden.map((answer) => hiddenAnswerEntry(answer, view, urls)),
  ]
  return {
    title: `${rejected ? 'Error: ' : ''}${truncate(question.question, 80)}`,
    description: truncate([`A question about ${place.name}`, answers[0]?.answer].filter(Boolean).join(' · ')),
    ...(rejected || !isPublic ? {} : { canonical: `/questions/${question.id}` }),
    body: html`<p class="trail"><a href="${links.to('/places')}">Places</a>
        <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a> <a href="${links.to(list)}">Questions</a></p>
      <article>
        <h1 class="text">${question.question}</h1>
        <p class="quiet">Asked by ${asker.name}, ${formatDateTime(question.created_at)}</p>
        ${rejected && !isAnswerRejected ? errorSummary(rejected.errors) : ''}
        ${isPublic ? '' : hiddenNotice(view, isOwn, links)}
        <section aria-labelledby="answers">
          <h2 id="answers">${formatCount(question.answer_count, 'answer')}</h2>
          ${question.answer_count > answers.length ? html`<p class="quiet">These are the first ${answers.length}; <a href="${links.relative(question.answers_url)}">all of them as JSON</a>.</p>` : ''}
          ${entries.length > 0 ? html`<ol class="comments">${entries}</ol>` : emptyState(view, isOwn, links.to(list))}
        </section>
        ${viewer || !isPublic ? '' : loginPrompt(question.id, links)}
        ${viewer && isPublic ? answerForm(question.id, isAnswerRejected ? rejected : undefined, links) : ''}
        <p class="quiet"><a href="${links.relative(question.url)}">This question as JSON</a> ·
          <a href="${links.relative(question.answers_url)}">its answers as JSON</a>${isOwn ? '' : html` · <a href="${links.relative(question.flag_url)}">Flag it</a>`}</p>
      </article>`,
  }
}

function hiddenNotice({ question, hiddenState }: QuestionView, isOwn: boolean, { to }: Links): SafeHtml {
  const item = hiddenState?.item_id ?? null
  const audience = isOwn ? 'only you and the moderators see this page' : 'only its asker and the moderators see this page'
  if (question.moderation_state === 'rejected')
    return html`<p class="waiting"><b>A moderator decided not to publish this question:</b> ${audience}.
      ${hiddenState?.reason ? html` They wrote: ${hiddenState.reason}` : ''}</p>`
  return html`<p class="${isOwn ? 'done' : 'waiting'}"${isOwn ? html` role="status"` : ''}><b>A moderator reviews this question first.</b>
    Until then ${audience}. ${isOwn || item === null ? '' : html`<a href="${to(`/moderation/${item}`)}">Decide on it</a>`}</p>`
}

function emptyState({ viewer, isPublic }: QuestionView, isOwn: boolean, list: string): SafeHtml {
  const otherQuestions = html`<a href="${list}">see other questions</a>`
  if (!isPublic) return html`<p class="empty">It cannot be answered yet. In the meantime, you can ${otherQuestions}.</p>`
  if (isOwn)
    return html`<p class="empty">There are no answers yet. Share this page with neighbours who may know, or ${otherQuestions}.</p>`
  return html`<p class="empty">There are no answers yet.
    ${viewer ? html`Do you know? <a href="#field-answer">Write the first answer</a>, or ${otherQuestions}.` : html`In the meantime, you can ${otherQuestions}.`}</p>`
}

function loginPrompt(id: number, { to }: Links): SafeHtml {
  const return_to = `/questions/${id}#say`
  return html`<p id="say"><a class="button primary" href="${to('/login', { return_to })}">Log in</a> or
    <a href="${to('/register', { return_to })}">register</a> to answer, or to vote for an answer.</p>`
}

function answerForm(id: number, rejected: RejectedAnswerForm | undefined, { to }: Links): SafeHtml {
  const { values, errors }: Pick<RejectedAnswerForm, 'values' | 'errors'> = rejected ?? { values: {}, errors: {} }
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">Write an answer</h2>
    ${errorSummary(errors, ['answer'])}
    <form method="post" action="${to(`/questions/${id}/answers`)}#say">
      ${hiddenField('form_key', newSecret())}
      ${textareaField({
        name: 'answer',
        label: 'Your answer',
        hint: 'Your answer and your name are public.',
        value: readText(values, 'answer'),
        maxlength: ANSWER_MAX,
        required: true,
        error: errors['answer'],
      })}
      <p><button>Answer</button></p>
    </form>
  </section>`
}
