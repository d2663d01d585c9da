import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html, type SafeHtml } from '@remix-run/html-template'

import { findLastChange } from '../http/last-change.ts'
import { problems } from '../http/problems.ts'
import type { Urls } from '../http/urls.ts'
import { findPlaceByUrlName, lastPlaceChange, type PlaceRow } from '../places/queries.ts'
import { lastRequestTypeChange, listRequestTypesAt, listRequestTypesWithQuestions } from '../reporting/queries.ts'
import { otherRequestType } from '../reporting/rules.ts'
import type { RequestType, RequestTypeQuestion } from '../reporting/schema.ts'
import type { Services } from '../services.ts'
import { linksOf } from './links.ts'
import { sendPage } from './page.ts'
import { PlacePageParams } from './place.ts'

/** What may be reported in a place. The form that sends a report comes with accounts; until then the page says how the API does it. */
export const reportPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const reader = { query: db.read }

  app.get('/places/:url_name/report', { schema: { params: PlacePageParams } }, async (request, reply) => {
    const lastModified = await findLastChange(db, [...lastPlaceChange, ...lastRequestTypeChange])
    const place = await findPlaceByUrlName(reader, request.params.url_name)
    if (!place) throw problems.notFound('The place')
    const offered = await listRequestTypesAt(reader, { lng: place.center_lng, lat: place.center_lat })
    const ids = offered.map(({ id }) => id)
    const types = [...(await listRequestTypesWithQuestions(reader, ids)), otherRequestType]
    const { to } = linksOf(urls)
    const page = {
      title: `Report a problem in ${place.name}`,
      description: `What can be reported in ${place.name}, and what each report asks for.`,
      canonical: `/places/${place.url_name}/report`,
      body: html`<p class="trail"><a href="${to('/places')}">Places</a> ›
          <a href="${to(`/places/${place.url_name}`)}">${place.name}</a></p>
        <h1>Report a problem in ${place.name}</h1>
        <p>This is what can be reported in the middle of ${place.name}; other spots may be looked after by others.
          Open a kind of problem to see what it asks.</p>
        ${[...Map.groupBy(types, ({ organization }) => organization)].map(([organization, group]) => section(organization, group))}
        ${howToReport(place, urls)}`,
    }
    return sendPage(request, reply, urls, page, lastModified)
  })
}

function section(organization: string | null, types: readonly RequestType[]): SafeHtml {
  return html`<section>
    <h2>${organization ?? 'The community'}</h2>
    ${organization === null ? html`<p class="quiet">Nobody in particular looks after these: everybody can see and solve them.</p>` : ''}
    ${types.map(({ title, questions }) => html`<details class="card"><summary>${title}</summary>${questionList(questions)}</details>`)}
  </section>`
}

function questionList(questions: readonly RequestTypeQuestion[]): SafeHtml {
  if (questions.length === 0) return html`<p class="quiet">It asks nothing: the spot is enough.</p>`
  return html`<ol class="questions">${questions.map(questionItem)}</ol>`
}

function questionItem(question: RequestTypeQuestion): SafeHtml {
  const { question_type, response_required, answer_kept_private, select_values } = question
  const about = [
    kinds[question_type],
    question_type === 'note' ? null : response_required ? 'required' : 'optional',
    answer_kept_private ? 'only the organisation sees the answer' : null,
  ]
  return html`<li><b>${question.question}</b> <span class="quiet">${about.filter(Boolean).join(' · ')}</span>
    ${select_values ? html`<ul>${select_values.map(({ name }) => html`<li>${name}</li>`)}</ul>` : ''}</li>`
}

const kinds: Readonly<Record<RequestTypeQuestion['question_type'], string>> = {
  text: 'a short text',
  textarea: 'a text',
  select: 'one of these',
  multivaluelist: 'one or more of these',
  number: 'a number',
  datetime: 'a date and time',
  boolean: 'yes or no',
  note: 'a note to read',
  file: 'a picture',
}

function howToReport({ center_lng: lng, center_lat: lat }: PlaceRow, urls: Urls): SafeHtml {
  return html`<section>
    <h2>How to send it</h2>
    <p>This page cannot send a report yet, and neither can the API: both come with accounts. What can be asked already is what
      can be reported at the spot, and the questions of each kind.</p>
    <pre tabindex="0"><code>curl '${urls.api(`/issues/new?lat=${lat}&lng=${lng}`)}'
curl '${urls.api('/request_types/other')}'</code></pre>
    <p><a class="button" href="${linksOf(urls).to('/docs')}">Read the API reference</a></p>
  </section>`
}
