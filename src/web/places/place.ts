import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'

import { html, type SafeHtml } from '../../html/template.ts'
import { findLastModified } from '../../http/caching/last-modified.ts'
import { toPage, PageQuery } from '../../http/lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { issueChangeTimes } from '../../issues/list/last-modified.ts'
import { parseFilter } from '../../issues/list/filter.ts'
import { ListIssuesQuery } from '../../issues/list/query.ts'
import { type CountByStatus, countIssuesByStatus } from '../../issues/list/count.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { findListPage } from '../../issues/list/page.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { listOutlines } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, placeChangeTimes, type PlaceRow } from '../../places/queries.ts'
import { PlaceParams } from '../../places/schema.ts'
import type { Services } from '../../services.ts'
import { issueCard, placeSubtitle } from '../issues/cards.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { mapSvg } from '../map/map-svg.ts'
import { sendPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { formatCount, formatNumber } from '../../html/format.ts'

const MAP_WIDTH = 720
const DOTS_MAX = 3_000

const { page, status, search } = { ...PageQuery.properties, ...ListIssuesQuery.properties }
const PlacePageQuery = Type.Object({ page, status, search })
type PlacePageQuery = Static<typeof PlacePageQuery>
export const PlacePageParams = Type.Object({ url_name: PlaceParams.properties.id })

export const placePage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const reader = { query: db.read }
  const links = createLinks(urls)

  app.get('/places/:url_name', { schema: { params: PlacePageParams, querystring: PlacePageQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const lastModified = await findLastModified(db, [...issueChangeTimes, ...placeChangeTimes], viewer)
    const place = await findPlaceByUrlName(reader, request.params.url_name)
    if (!place) throw problems.notFound('the_place')
    const centre = { lng: place.center_lng, lat: place.center_lat }
    const filter = await parseFilter(reader, query, { kind: 'place', placeId: place.id, centre }, viewer)
    const page = toPage(query)
    const [{ entries, issues }, outlines, dots, counts] = await Promise.all([
      findListPage(reader, { filter, order: { by: 'created_at', direction: 'DESC' }, pagePosition: page, viewer }),
      listOutlines(reader, [place.id], MAP_WIDTH),
      listIssueDots(reader, filter, DOTS_MAX),
      countIssuesByStatus(reader, filter),
    ])
    const path = `/places/${place.url_name}`
    const hrefWith = (changes: Readonly<Partial<Record<keyof PlacePageQuery, string | number | undefined>>>) =>
      links.to(path, { ...filterParameters(query), ...changes })
    const map = mapSvg({
      label: `Map of ${place.name} with ${dots.length < entries ? 'the newest ' : ''}${formatCount(dots.length, 'issue')} as coloured dots`,
      centre,
      outlines: outlines.map(({ boundary }) => boundary),
      dots,
      width: MAP_WIDTH,
    })
    return sendPage(
      request,
      reply,
      urls,
      {
        title: place.name,
        description: `${formatCount(entries, 'issue')} in ${place.name}: potholes, street lights, waste and other reports of residents.`,
        feed: { title: `Issues in ${place.name}`, href: feedUrl(place, query, links, 'atom') },
        ...(page.page === 1 && Object.keys(filterParameters(query)).length === 0 ? { canonical: path } : {}),
        body: html`<p class="trail"><a href="${links.to('/places')}">Places</a></p>
          <h1>${place.name}</h1>
          <p class="quiet">${placeSubtitle(place)}</p>
          <div class="two-columns">
            <figure class="frame">${map}${legend(counts, filter.statuses)}</figure>
            <div>
              <p><a class="button primary" href="${links.to(`${path}/report`)}">Report a problem here</a></p>
              <p><a href="${links.to('/watch', { place_url: place.url_name })}">Watch ${place.name}</a>: get mails about issues here</p>
              ${searchForm(links.to(path), query)}
              ${statusLinks(query, hrefWith)}
              ${place.place_type === 'City' ? html`<p><a href="${links.to(`${path}/questions`)}">Questions about ${place.name}</a>, with answers of neighbours</p>` : ''}
            </div>
          </div>
          <section aria-labelledby="issues">
            <h2 id="issues">${formatCount(entries, 'issue')}</h2>
            ${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls))}</ul>` : emptyState(place, query, entries, links)}
            ${pager(page, entries, (number) => hrefWith({ page: number }))}
          </section>
          <p class="quiet"><a href="${feedUrl(place, query, links, 'atom')}">Follow ${place.name} in a feed reader</a>, without an account ·
            <a href="${feedUrl(place, query, links, 'geojson')}">as GeoJSON for a map</a> ·
            <a href="${jsonUrl(place, query, links)}">These issues as JSON</a> ·
            <a href="${links.to(`/api/v2/places/${place.id}`)}">The place as JSON</a></p>`,
      },
      lastModified,
    )
  })
}

const currentStatuses = ['open', 'acknowledged', 'closed']
type StatusChoice = readonly [name: string, statuses: readonly string[]]
const statusChoices: readonly StatusChoice[] = [
  ['Current', currentStatuses],
  ...statuses.map((status) => [status, [status.toLowerCase()]] as const),
]

const isSelected = (query: PlacePageQuery, choice: readonly string[]) =>
  (query.status ?? currentStatuses).join().toLowerCase() === choice.join()

function filterParameters(query: PlacePageQuery): { status?: string; search?: string } {
  const search = query.search?.trim()
  return {
    ...(isSelected(query, currentStatuses) ? {} : { status: (query.status ?? currentStatuses).join() }),
    ...(search ? { search } : {}),
  }
}

function jsonUrl(place: PlaceRow, query: PlacePageQuery, { to }: Links): string {
  return to('/api/v2/issues', { place_url: place.url_name, ...filterParameters(query) })
}

function feedUrl(place: PlaceRow, query: PlacePageQuery, { to }: Links, kind: 'atom' | 'geojson'): string {
  return to(`/feeds/issues.${kind}`, { place_url: place.url_name, ...filterParameters(query) })
}

function legend(counts: CountByStatus, included: readonly Status[]): SafeHtml {
  const entry = (status: Status) =>
    html`<li class="${status.toLowerCase()}">${status} <b>${formatNumber(counts[status] ?? 0)}</b></li>`
  return html`<figcaption><ul class="legend">${statuses.filter((status) => included.includes(status)).map(entry)}</ul></figcaption>`
}

function searchForm(action: string, query: PlacePageQuery): SafeHtml {
  const { status, search = '' } = filterParameters(query)
  return html`<form class="search" role="search" action="${action}">
    <label for="search">Search in summaries, descriptions and addresses</label>
    ${status === undefined ? '' : html`<input type="hidden" name="status" value="${status}">`}
    <div>
      <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="pothole">
      <button>Search</button>
    </div>
  </form>`
}

function statusLinks(query: PlacePageQuery, hrefWith: (changes: { status: string | undefined }) => string): SafeHtml {
  const link = ([name, choice]: StatusChoice) => {
    const href = hrefWith({ status: choice === currentStatuses ? undefined : choice.join() })
    return isSelected(query, choice) ? html`<a href="${href}" aria-current="true">${name}</a>` : html`<a href="${href}">${name}</a>`
  }
  return html`<nav class="choices" aria-label="Status">${statusChoices.map(link)}</nav>`
}

function emptyState(place: PlaceRow, query: PlacePageQuery, entries: number, { to }: Links): SafeHtml {
  const path = `/places/${place.url_name}`
  const { status, search } = filterParameters(query)
  if (entries > 0)
    return html`<p class="empty">This page of the list is empty. <a href="${to(path, { status, search })}">Go to the first page</a></p>`
  const withWords = search === undefined ? '' : html` with “${search}” in it`
  const allStatuses = { status: statuses.join().toLowerCase(), search }
  if (status !== allStatuses.status && (search !== undefined || status !== undefined)) {
    return html`<p class="empty">No ${status === undefined ? 'current' : status.replaceAll(',', ' or ')} issue of ${place.name}${withWords}.
      <a href="${to(path, allStatuses)}">Search all issues, archived ones too</a>, or <a href="${to(path)}">see all current issues</a>.</p>`
  }
  if (search !== undefined) {
    return html`<p class="empty">No issue of ${place.name}${withWords}, not even an archived one. Try fewer or other words,
      or <a href="${to(path)}">see all current issues</a>.</p>`
  }
  return html`<p class="empty">Nothing is reported in ${place.name} yet, or all of it is archived.
    <a href="${to(path, { status: 'archived' })}">See the archived issues</a>, or
    <a href="${to(`${path}/report`)}">see what can be reported here</a>.</p>`
}
