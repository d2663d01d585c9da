import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { text } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { truncate } from '../../html/format.ts'
import { sendPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { PageQuery, toPage } from '../../http/lists/pagination.ts'
import { listQuestionCities } from '../../questions/city-queries.ts'
import type { Services } from '../../services.ts'

const CitiesQuery = Type.Object({
  page: PageQuery.properties.page,
  search: Type.Optional(Type.String({ maxLength: 100, 'x-allowed': text('a_text_up_to', { max: 100 }) })),
})

/** The cities, to find the questions about one. */
export const questionCitiesPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls }) => {
  app.get('/questions', { schema: { querystring: CitiesQuery } }, async (request, reply) => {
    const texts = pageTexts(request)
    const search = request.query.search?.trim() ?? ''
    const page = toPage(request.query)
    const { entries, cities } = await listQuestionCities(db.reader, search, page)
    const cards = cities.map(
      ({ name, url_name, state, questions, question }) => html`<li class="card"><div>
        <h3><a href="${links.to(`/places/${url_name}/questions`)}">${state === null ? name : `${name}, ${state}`}</a></h3>
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
      title: texts('questionCities.title'),
      description: texts('questionCities.description'),
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
