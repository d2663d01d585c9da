import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { toQuestion } from '../../questions/present.ts'
import type { CityRow, QuestionRow } from '../../questions/queries.ts'
import { type ListQuestionsQuery, QUESTION_MAX } from '../../questions/schema.ts'
import { errorSummary, type FieldErrors, hiddenField, textareaField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { truncate, formatCount, formatDate } from '../../html/format.ts'

export interface QuestionListView {
  readonly viewer: Viewer | null
  readonly city: CityRow
  readonly query: Pick<ListQuestionsQuery, 'search' | 'subset'>
  readonly slice: Page
  readonly entries: number
  readonly questions: readonly QuestionRow[]
}

export interface RejectedQuestion {
  readonly values: FormValues
  readonly errors: FieldErrors
}

const subsets = [
  ['', 'All'],
  ['answered', 'Answered'],
  ['unanswered', 'Unanswered'],
] as const

export function questionListPage(view: QuestionListView, rejected: RejectedQuestion | undefined, urls: Urls): HtmlPage {
  const { viewer, city, slice, entries, questions } = view
  const links = createLinks(urls)
  const path = `/places/${city.url_name}/questions`
  const parameters = filterParameters(view.query)
  const isUnfiltered = slice.page === 1 && Object.keys(parameters).length === 0
  return {
    title: `${rejected ? 'Error: ' : ''}Questions about ${city.name}`,
    description: `What people ask about ${city.name}, and what neighbours and city hall answer.`,
    ...(isUnfiltered && !rejected ? { canonical: path } : {}),
    body: html`<p class="trail"><a href="${links.to('/places')}">Places</a> <a href="${links.to(`/places/${city.url_name}`)}">${city.name}</a></p>
      <h1>Questions about ${city.name}</h1>
      <p class="buttons"><a class="button primary" href="#say">Ask a question</a></p>
      ${searchForm(links.to(path), view.query)}
      <nav class="choices" aria-label="Which questions">${subsets.map(([subset, name]) => {
        const href = links.to(path, { ...parameters, subset: subset === '' ? undefined : subset })
        return html`<a href="${href}"${subset === (view.query.subset ?? '') ? html` aria-current="true"` : ''}>${name}</a>`
      })}</nav>
      <section aria-labelledby="questions">
        <h2 id="questions">${formatCount(entries, 'question')}</h2>
        ${questions.length > 0 ? html`<ul class="cards">${questions.map((question) => questionCard(question, urls))}</ul>` : emptyState(view, links.to(path), links)}
        ${pager(slice, entries, (page) => links.to(path, { ...parameters, page }))}
      </section>
      ${viewer ? askForm(links.to(path), rejected, city) : loginPrompt(path, links)}
      <p class="quiet"><a href="${links.to(`/api/v2/${city.url_name}/questions`, parameters)}">These questions as JSON</a></p>`,
  }
}

function filterParameters({ search, subset }: QuestionListView['query']): { search?: string; subset?: string } {
  const words = search?.trim()
  return { ...(words ? { search: words } : {}), ...(subset ? { subset } : {}) }
}

function searchForm(action: string, query: QuestionListView['query']): SafeHtml {
  const { search = '', subset } = filterParameters(query)
  return html`<form class="search" role="search" action="${action}">
    <label for="search">Search in questions</label>
    ${subset === undefined ? '' : hiddenField('subset', subset)}
    <div>
      <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="paint">
      <button>Search</button>
    </div>
  </form>`
}

function questionCard(row: QuestionRow, urls: Urls): SafeHtml {
  const { question, html_url, asker, answer_count, accepted_answer_id, created_at } = toQuestion(row, urls)
  return html`<li class="card"><div>
    <h3><a href="${createLinks(urls).relative(html_url)}">${truncate(question, 200)}</a></h3>
    <p>${answer_count === 0 ? 'No answer yet' : formatCount(answer_count, 'answer')}${accepted_answer_id === null ? '' : html` · <span class="status closed">Accepted answer</span>`}</p>
    <p class="quiet">${asker.name} · ${formatDate(created_at)}</p>
  </div></li>`
}

function emptyState({ city, query, entries }: QuestionListView, path: string, { to }: Links): SafeHtml {
  const { search, subset } = filterParameters(query)
  if (entries > 0) return html`<p class="empty">This page of the list is empty. <a href="${path}">Go to the first page</a></p>`
  const all = html`<a href="${path}">see all questions</a>`
  if (search !== undefined)
    return html`<p class="empty">No ${subset ?? ''} question about ${city.name} with “${search}” in it. Try fewer or other words, ${all}, or
      <a href="#say">ask it yourself</a>.</p>`
  if (subset === 'answered')
    return html`<p class="empty">No question about ${city.name} has an answer yet. <a href="?subset=unanswered">Perhaps you know one?</a></p>`
  if (subset === 'unanswered')
    return html`<p class="empty">No question about ${city.name} is unanswered: ${all}, or <a href="#say">ask another one</a>.</p>`
  return html`<p class="empty">There are no questions about ${city.name} yet. <a href="#say">Ask the first question</a>, or
    <a href="${to(`/places/${city.url_name}`)}">see what is reported there</a>.</p>`
}

function loginPrompt(path: string, { to }: Links): SafeHtml {
  const return_to = `${path}#say`
  return html`<p id="say"><a class="button primary" href="${to('/login', { return_to })}">Log in</a> or
    <a href="${to('/register', { return_to })}">register</a> to ask a question.</p>`
}

function askForm(action: string, rejected: RejectedQuestion | undefined, { name }: CityRow): SafeHtml {
  const { values, errors }: RejectedQuestion = rejected ?? { values: {}, errors: {} }
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">Ask the people of ${name}</h2>
    ${errorSummary(errors, ['question'])}
    <form method="post" action="${action}#say">
      ${hiddenField('form_key', newSecret())}
      ${textareaField({
        name: 'question',
        label: 'Your question',
        hint: 'Your question and your name are public. If something is broken, report an issue instead, so that city hall sees where it is.',
        value: readText(values, 'question'),
        maxlength: QUESTION_MAX,
        required: true,
        error: errors['question'],
      })}
      <p><button>Ask</button></p>
    </form>
  </section>`
}
