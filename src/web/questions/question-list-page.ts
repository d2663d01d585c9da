import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Point } from '../../geo/point.ts'
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
import { truncate } from '../../html/format.ts'
import { formatLocalDate } from '../../html/local-format.ts'
import { formatMessage } from '../../errors/texts/in-language.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { userName } from '../../users/present.ts'
import { questionListTexts, type QuestionListTexts } from './question-list-texts.ts'
import { questionTexts } from './question-texts.ts'

export interface QuestionListView {
  readonly viewer: Viewer | null
  readonly city: CityRow
  /** The centre of the city, whose time zone is used. */
  readonly centre: Point
  readonly query: Pick<ListQuestionsQuery, 'search' | 'subset'>
  readonly slice: Page
  readonly entries: number
  readonly questions: readonly QuestionRow[]
}

export interface RejectedQuestion {
  readonly values: FormValues
  readonly errors: FieldErrors
}

const subsets = ['', 'answered', 'unanswered'] as const

/** Every part of the page gets this. */
interface Context {
  readonly view: QuestionListView
  readonly urls: Urls
  readonly links: Links
  readonly path: string
  readonly texts: QuestionListTexts
  readonly language: Language
}

export function questionListPage(
  view: QuestionListView,
  rejected: RejectedQuestion | undefined,
  urls: Urls,
  language: Language,
): HtmlPage {
  const { viewer, city, slice, entries, questions } = view
  const links = createLinks(urls)
  const path = `/places/${city.url_name}/questions`
  const texts = questionListTexts[language]
  const { errorTitle, places } = questionTexts[language]
  const context = { view, urls, links, path, texts, language }
  const parameters = filterParameters(view.query)
  const isUnfiltered = slice.page === 1 && Object.keys(parameters).length === 0
  const title = texts.title(city.name)
  return {
    title: rejected ? errorTitle(title) : title,
    description: texts.description(city.name),
    language,
    ...(isUnfiltered && !rejected ? { canonical: path } : {}),
    body: html`<p class="trail"><a href="${links.to('/places')}">${places}</a> › <a href="${links.to(`/places/${city.url_name}`)}">${city.name}</a></p>
      <h1>${title}</h1>
      <p class="buttons"><a class="button primary" href="#say">${texts.ask}</a></p>
      ${searchForm(context)}
      <nav class="choices" aria-label="${texts.subsetsLabel}">${subsets.map((subset) => {
        const href = links.to(path, { ...parameters, subset: subset === '' ? undefined : subset })
        return html`<a href="${href}"${subset === (view.query.subset ?? '') ? html` aria-current="true"` : ''}>${texts.subsets[subset]}</a>`
      })}</nav>
      <section aria-labelledby="questions">
        <h2 id="questions">${formatMessage(texts.questions, { count: entries }, language)}</h2>
        ${questions.length > 0 ? html`<ul class="cards">${questions.map((question) => questionCard(context, question))}</ul>` : html`<p class="empty">${emptyText(context)}</p>`}
        ${pager(slice, entries, (page) => links.to(path, { ...parameters, page }), language)}
      </section>
      ${viewer ? askForm(context, rejected) : loginPrompt(context)}
      <p class="quiet"><a href="${links.to(`/api/v2/${city.url_name}/questions`, parameters)}">${texts.json}</a></p>`,
  }
}

function filterParameters({ search, subset }: QuestionListView['query']): { search?: string; subset?: 'answered' | 'unanswered' } {
  const words = search?.trim()
  return { ...(words ? { search: words } : {}), ...(subset ? { subset } : {}) }
}

function searchForm({ view, links, path, texts }: Context): SafeHtml {
  const { search = '', subset } = filterParameters(view.query)
  return html`<form class="search" role="search" action="${links.to(path)}">
    <label for="search">${texts.search}</label>
    ${subset === undefined ? '' : hiddenField('subset', subset)}
    <div>
      <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="${texts.searchExample}">
      <button>${texts.searchButton}</button>
    </div>
  </form>`
}

function questionCard({ view, urls, links, texts, language }: Context, row: QuestionRow): SafeHtml {
  const { question, html_url, asker, answer_count, accepted_answer_id, created_at } = toQuestion(row, urls)
  const accepted = html` · <span class="status closed">${questionTexts[language].accepted}</span>`
  return html`<li class="card"><div>
    <h3><a href="${links.relative(html_url)}">${truncate(question, 200)}</a></h3>
    <p>${formatMessage(texts.answers, { count: answer_count }, language)}${accepted_answer_id === null ? '' : accepted}</p>
    <p class="quiet">${userName(asker, language)} · ${formatLocalDate(created_at, language, view.centre)}</p>
  </div></li>`
}

function emptyText({ view: { city, query, entries }, links, path, texts }: Context): SafeHtml {
  const { search, subset } = filterParameters(query)
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  const [all, ask] = [link(links.to(path)), link('#say')]
  if (entries > 0) return texts.emptyPage(all)
  if (search !== undefined) return html`${texts.notFound[subset ?? ''](city.name, search)} ${texts.otherWords(all, ask)}`
  if (subset === 'answered') return texts.noneAnswered(city.name, link('?subset=unanswered'))
  if (subset === 'unanswered') return texts.noneUnanswered(city.name, all, ask)
  return texts.none(city.name, ask, link(links.to(`/places/${city.url_name}`)))
}

function loginPrompt({ links: { to }, path, texts }: Context): SafeHtml {
  const return_to = `${path}#say`
  return html`<p id="say">${texts.logIn(
    (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`,
    (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`,
  )}</p>`
}

function askForm({ view, links, path, texts, language }: Context, rejected: RejectedQuestion | undefined): SafeHtml {
  const { values, errors }: RejectedQuestion = rejected ?? { values: {}, errors: {} }
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${texts.askTitle(view.city.name)}</h2>
    ${errorSummary(errors, ['question'], language)}
    <form method="post" action="${links.to(path)}#say">
      ${hiddenField('form_key', newSecret())}
      ${textareaField({
        name: 'question',
        label: texts.yourQuestion,
        hint: texts.questionHint,
        value: readText(values, 'question'),
        maxlength: QUESTION_MAX,
        required: true,
        error: errors['question'],
        language,
      })}
      <p><button>${texts.askButton}</button></p>
    </form>
  </section>`
}
