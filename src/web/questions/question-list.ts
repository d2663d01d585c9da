import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'

import { textRequest } from '../../content-policy/policy.ts'
import { orNotFound } from '../../errors/problems.ts'
import type { Point } from '../../geo/shapes.ts'
import { hiddenField } from '../../html/fields.ts'
import { type FormState, formIdempotencyKey } from '../../html/form.ts'
import { truncate, formatLocalDate } from '../../html/format.ts'
import { seeOther, type Links, createLinks } from '../../html/links.ts'
import { sendPrivatePage, sendPage, type HtmlPage, pageTitles } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { addIdempotency } from '../../http/idempotency/idempotency.ts'
import { toPage, PageQuery, type Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Texts } from '../../locales/texts.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { findCity, listQuestions, type CityRow, type QuestionRow, toQuestion, listQuestionCities } from '../../questions/queries.ts'
import { ListQuestionsQuery, NewQuestion, QUESTION_MAX } from '../../questions/schema.ts'
import { createQuestion } from '../../questions/write-question.ts'
import { parseSearch } from '../../search/search-terms.ts'
import type { Services } from '../../services.ts'
import { fullPlaceName } from '../cards/cards.ts'
import { userName } from '../../users/present.ts'
import { readCentre } from './question-page.ts'
import { readRejected, sayForm, sayRoute } from './say-form.ts'

const { search, subset } = ListQuestionsQuery.properties
const QuestionPageQuery = Type.Object({ page: PageQuery.properties.page, search, subset })
type QuestionPageQuery = Static<typeof QuestionPageQuery>

/** @throws Problem 404 if there is no such city */
async function findListView(
  { db }: Services,
  urlName: string,
  query: QuestionPageQuery,
  viewer: Viewer | null,
): Promise<QuestionListView> {
  const city = orNotFound(await findCity(db.reader, urlName), 'the_place')
  const centre = await readCentre(db.reader, city)
  const slice = toPage(query)
  const terms = await parseSearch(db.reader, query.search)
  const { entries, questions } = await listQuestions(db.reader, { placeId: city.id, subset: query.subset, terms }, slice)
  return { viewer, city, centre, query, slice, entries, questions }
}

export const questionListPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { urls } = services
  const schema = { params: PlacePageParams, querystring: QuestionPageQuery }
  app.get('/places/:url_name/questions', { schema }, async (request, reply) => {
    const { query, viewer } = request
    const { url_name } = request.params
    const view = await findListView(services, url_name, query, viewer)
    return sendPage(request, reply, urls, questionListPage(view, undefined, urls, pageTexts(request)))
  })
}

export const questionForms: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services
  addIdempotency(app, services, formIdempotencyKey)

  const route = sayRoute(app, urls, '/places/:url_name/questions', { params: PlacePageParams, body: NewQuestion })
  app.post('/places/:url_name/questions', route, async (request, reply) => {
    const { url_name } = request.params
    try {
      const question = await createQuestion(services, url_name, textRequest(request, db))
      return seeOther(reply, urls, `/questions/${question.id}`)
    } catch (error) {
      const rejected = await readRejected(request, db, error)
      const view = await findListView(services, url_name, {}, request.viewer)
      return sendPrivatePage(request, reply.code(422), urls, questionListPage(view, rejected, urls, pageTexts(request)))
    }
  })
}

interface QuestionListView {
  readonly viewer: Viewer | null
  readonly city: CityRow
  /** The centre of the city, whose time zone is used. */
  readonly centre: Point
  readonly query: Pick<ListQuestionsQuery, 'search' | 'subset'>
  readonly slice: Page
  readonly entries: number
  readonly questions: readonly QuestionRow[]
}

const subsets = ['', 'answered', 'unanswered'] as const

/** Every part of the page gets this. */
interface Context {
  readonly view: QuestionListView
  readonly urls: Urls
  readonly links: Links
  readonly path: string
  readonly texts: Texts
}

function questionListPage(view: QuestionListView, rejected: FormState | undefined, urls: Urls, texts: Texts): HtmlPage {
  const { city, slice, entries, questions } = view
  const links = createLinks(urls)
  const path = `/places/${city.url_name}/questions`
  const context = { view, urls, links, path, texts, language: texts.language }
  const parameters = filterParameters(view.query)
  const isUnfiltered = slice.page === 1 && Object.keys(parameters).length === 0
  const title = texts('questionList.title', { city: city.name })
  return {
    title: rejected ? texts('question.errorTitle', { title }) : title,
    description: texts('questionList.description', { city: city.name }),
    ...(isUnfiltered && !rejected ? { canonical: path } : {}),
    body: html`<p class="trail"><a href="${links.to('/places')}">${texts('question.places')}</a> › <a href="${links.to(`/places/${city.url_name}`)}">${city.name}</a></p>
      <h1>${title}</h1>
      <p class="buttons"><a class="button primary" href="#say">${texts('questionList.ask')}</a></p>
      ${searchForm(context)}
      <nav class="choices" aria-label="${texts('questionList.subsetsLabel')}">${subsets.map((subset) => {
        const href = links.to(path, { ...parameters, subset: subset === '' ? undefined : subset })
        return html`<a href="${href}"${subset === (view.query.subset ?? '') ? html` aria-current="true"` : ''}>${texts(`questionList.subsets.${subset === '' ? 'all' : subset}`)}</a>`
      })}</nav>
      <section aria-labelledby="questions">
        <h2 id="questions">${texts('questionList.questions', { count: entries })}</h2>
        ${questions.length > 0 ? html`<ul class="cards">${questions.map((question) => questionCard(context, question))}</ul>` : html`<p class="empty">${emptyText(context)}</p>`}
        ${pager(slice, entries, (page) => links.to(path, { ...parameters, page }), texts.language)}
      </section>
      ${askForm(context, rejected)}`,
  }
}

function filterParameters({ search, subset }: QuestionListView['query']): { search?: string; subset?: 'answered' | 'unanswered' } {
  const words = search?.trim()
  return { ...(words ? { search: words } : {}), ...(subset ? { subset } : {}) }
}

function searchForm({ view, links, path, texts }: Context): SafeHtml {
  const { search = '', subset } = filterParameters(view.query)
  return html`<form class="search" role="search" action="${links.to(path)}">
    <label for="search">${texts('questionList.search')}</label>
    ${subset === undefined ? '' : hiddenField('subset', subset)}
    <div>
      <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="${texts('questionList.searchExample')}">
      <button>${texts('questionList.searchButton')}</button>
    </div>
  </form>`
}

function questionCard({ view, urls, links, texts }: Context, row: QuestionRow): SafeHtml {
  const { question, html_url, asker, answer_count, accepted_answer_id, created_at } = toQuestion(row, urls)
  const accepted = html` · <span class="status closed">${texts('question.accepted')}</span>`
  return html`<li class="card"><div>
    <h3><a href="${links.relative(html_url)}">${truncate(question, 200)}</a></h3>
    <p>${texts('questionList.answers', { count: answer_count })}${accepted_answer_id === null ? '' : accepted}</p>
    <p class="quiet">${userName(asker, texts.language)} · ${formatLocalDate(created_at, texts, view.centre)}</p>
  </div></li>`
}

function emptyText({ view: { city, query, entries }, links, path, texts }: Context): SafeHtml {
  const { search, subset } = filterParameters(query)
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  const [all, ask] = [link(links.to(path)), link('#say')]
  if (entries > 0) return richText(texts, 'questionList.emptyPage', { first: all })
  if (search !== undefined)
    return html`${texts(`questionList.notFound.${subset ?? 'all'}`, { city: city.name, words: search })} ${richText(texts, 'questionList.otherWords', { all, ask })}`
  if (subset === 'answered')
    return richText(texts, 'questionList.noneAnswered', { city: city.name, unanswered: link('?subset=unanswered') })
  if (subset === 'unanswered') return richText(texts, 'questionList.noneUnanswered', { city: city.name, all, ask })
  return richText(texts, 'questionList.none', { city: city.name, ask, place: link(links.to(`/places/${city.url_name}`)) })
}

function askForm({ view: { viewer, city }, links, path, texts }: Context, rejected: FormState | undefined): SafeHtml {
  const title = texts('questionList.askTitle', { city: city.name })
  return sayForm({ name: 'question', path, action: path, title, maxlength: QUESTION_MAX }, viewer, rejected, links, texts)
}

const CitiesQuery = Type.Object({
  page: PageQuery.properties.page,
  search: Type.Optional(Type.String({ maxLength: 100 })),
})

/** The cities, to find the questions about one. */
export const questionCitiesPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls }) => {
  app.get('/questions', { schema: { querystring: CitiesQuery } }, async (request, reply) => {
    const texts = pageTexts(request)
    const search = request.query.search?.trim() ?? ''
    const page = toPage(request.query)
    const { entries, cities } = await listQuestionCities(db.reader, search, page)
    const cards = cities.map(
      ({ url_name, questions, question, ...city }) => html`<li class="card"><div>
        <h3><a href="${links.to(`/places/${url_name}/questions`)}">${fullPlaceName(city)}</a></h3>
        <p>${texts('questionCities.questions', { count: questions })}</p>
        ${question === null ? '' : html`<p class="quiet">${texts('questionCities.popular', { question: truncate(question, 120) })}</p>`}
      </div></li>`,
    )
    const link = (href: string) => (name: string) => html`<a href="${href}">${name}</a>`
    const empty = (): SafeHtml | string =>
      entries > 0
        ? richText(texts, 'questionCities.emptyPage', {
            first: link(links.to('/questions', { search: search === '' ? undefined : search })),
          })
        : search === ''
          ? texts('questionCities.noCities')
          : richText(texts, 'questionCities.notFound', { all: link(links.to('/questions')) })
    return sendPage(request, reply, urls, {
      ...pageTitles(texts, 'questionCities.title', 'questionCities.description'),
      ...(search === '' && page.page === 1 ? { canonical: '/questions' } : {}),
      body: html`<h1>${texts('questionCities.title')}</h1>
        <p>${texts('questionCities.intro')}</p>
        <form class="search" role="search" action="${links.to('/questions')}">
          <label for="search">${texts('questionCities.search')}</label>
          <div><input id="search" name="search" type="search" maxlength="100" value="${search}" placeholder="Denver"><button>${texts('questionCities.searchButton')}</button></div>
        </form>
        <h2>${texts('questionCities.cities', { count: entries })}</h2>
        ${cards.length > 0 ? html`<ul class="cards">${cards}</ul>` : html`<p class="empty">${empty()}</p>`}
        ${pager(page, entries, (number) => links.to('/questions', { search: search === '' ? undefined : search, page: number }), texts.language)}`,
    })
  })
}
