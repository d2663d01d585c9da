import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'

import type { Language, Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { toPage, PageQuery } from '../../http/lists/pagination.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import { setPagePosition } from '../../issue-lifecycle/changes-cursor.ts'
import { orNotFound } from '../../errors/problems.ts'
import { parseFilter } from '../../issues/list/filter.ts'
import { ListIssuesQuery } from '../../issues/list/query.ts'
import { type CountByStatus, countIssuesByStatus } from '../../issues/list/overview.ts'
import { findListPage } from '../../issues/list/page.ts'
import { statusName, type Status, statuses } from '../../issue-lifecycle/status.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, type PlaceRow } from '../../places/queries.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { issueCard, placeSubtitle, findNumbered, numberedSection } from '../cards/cards.ts'
import type { Links } from '../../html/links.ts'
import { breadcrumbList } from '../../html/json-ld.ts'
import { toBounds } from '../map/shapes.ts'
import { DOTS_MAX, drawnMap } from '../map/drawing.ts'
import { reportViewOf } from '../map/drawn/drawn-view.ts'
import { embeddedMap, type WebServices } from '../map/page-maps.ts'
import { sendPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { formatAlternatives, formatNumber } from '../../html/format.ts'
import { parsePeriod, readStatistics } from '../../statistics/queries.ts'
import { toStatistics } from '../../statistics/present.ts'
import { speedOfPlace } from '../numbers/numbers-page.ts'

const { page, status, search } = { ...PageQuery.properties, ...ListIssuesQuery.properties }
const PlacePageQuery = Type.Object({ page, status, search })
type PlacePageQuery = Static<typeof PlacePageQuery>

export const placePage: FastifyPluginAsyncTypebox<WebServices> = async (app, { db, links, urls, maps, config, clock }) => {
  app.get('/places/:url_name', { schema: { params: PlacePageParams, querystring: PlacePageQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const texts = pageTexts(request)
    const place = orNotFound(await findPlaceByUrlName(db.reader, request.params.url_name), 'the_place')
    const centre = { lng: place.center_lng, lat: place.center_lat }
    const area = { kind: 'place', placeId: place.id, centre } as const
    await setPagePosition(reply, db.reader, area)
    const filter = await parseFilter(db.reader, query, area, viewer)
    const year = { period: parsePeriod({}, clock()), interval: 'month' } as const
    const page = toPage(query)
    const [{ entries, issues }, counts, box, rows] = await Promise.all([
      findListPage(db.reader, { filter, order: { by: 'created_at', direction: 'DESC' }, pagePosition: page, viewer }),
      countIssuesByStatus(db.reader, filter),
      findPlaceBounds(db.reader, place.id),
      readStatistics(db.reader, { filter: { area, requestTypes: undefined, organizations: undefined }, ...year }),
    ])
    const numbered = await findNumbered(db.reader, query.search, issues, viewer)
    const path = `/places/${place.url_name}`
    const hrefWith = (changes: Readonly<Partial<Record<keyof PlacePageQuery, string | number | undefined>>>) =>
      links.to(path, { ...filterParameters(query), ...changes })
    const drawing = drawnMap({
      path: links.to('/map/drawing.svg', { place_url: place.url_name, ...filterParameters(query) }),
      label: texts(entries > DOTS_MAX ? 'place.mapOfNewest' : 'place.map', {
        place: place.name,
        count: Math.min(entries, DOTS_MAX),
      }),
    })
    const map = embeddedMap(drawing, {
      ...maps.controls(texts.language),
      tileJson: links.to('/tiles/issues.json', { place_url: place.url_name, ...filterParameters(query) }),
      outline: links.to('/map/outline.json', { place_url: place.url_name }),
      bounds: toBounds(box),
      offer: { path: links.to(`${path}/report`), text: texts('map.offer') },
      changes: {
        path: links.to(`${apiPrefix}/changes/stream`, {
          place_url: place.url_name,
          ...filterParameters(query),
          'fields[issue]': 'id',
          tiles: 14,
        }),
        texts: texts.section('work.news'),
      },
    })
    const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
    const feed = feedUrl(place, query, links)
    const statistics = toStatistics(rows, { ...year, withTypes: false, language: texts.language })
    const numbers = richText(texts, 'numbers.place', { place: place.name, link: link(links.to(`${path}/numbers`)) })
    return sendPage(request, reply, urls, {
      title: place.name,
      description: texts('place.description', { place: place.name, count: entries }),
      feed: { title: texts('place.feed', { place: place.name }), href: feed },
      ...(page.page === 1 && Object.keys(filterParameters(query)).length === 0
        ? {
            canonical: path,
            jsonLd: [
              breadcrumbList(
                [
                  [texts('place.places'), '/places'],
                  [place.name, path],
                ],
                urls,
              ),
            ],
          }
        : {}),
      reportView: box && reportViewOf(box),
      map: await maps.embedded(),
      body: html`<p class="trail"><a href="${links.to('/places')}">${texts('place.places')}</a></p>
          <h1>${place.name}</h1>
          <p class="quiet">${placeSubtitle(place, texts)}</p>
          <div class="two-columns">
            <figure class="frame">${map}${legend(counts, filter.statuses, texts.language)}</figure>
            <div>
              <p><a class="button primary" data-report href="${links.to(`${path}/report`)}">${texts('place.report')}</a></p>
              <p>${richText(texts, 'place.watch', { place: place.name, link: link(links.to('/watch', { place_url: place.url_name })) })}</p>
              ${searchForm(links.to(path), query, texts)}
              ${statusLinks(query, hrefWith, texts, texts.language)}
              ${place.place_type === 'City' ? html`<p>${richText(texts, 'place.questions', { place: place.name, link: link(links.to(`${path}/questions`)) })}</p>` : ''}
            </div>
          </div>
          <p id="map-news" class="news" role="status"></p>
          <section id="issue-list" aria-labelledby="issues" data-issue-list>
            ${numberedSection(numbered, urls, texts)}
            <h2 id="issues"><span role="status">${texts('place.issues', { count: entries })}</span></h2>
            ${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls, texts))}</ul>` : html`<p class="empty">${emptyText({ place, query, entries, links, texts })}</p>`}
            ${pager(page, entries, (number) => hrefWith({ page: number }), texts.language)}
          </section>
          ${speedOfPlace(statistics, numbers, texts)}
          <p class="quiet" id="place-data" data-follows-map><a href="${feed}">${texts('place.follow', { place: place.name })}</a>, ${texts('place.withoutAccount')} ·
            <a href="${links.to('/data', { place_url: place.url_name, ...filterParameters(query) })}">${texts('place.data')}</a>${
              config.embedOrigins.length > 0
                ? html` · <a href="${links.to('/data', { place_url: place.url_name, ...filterParameters(query) })}#embed">${texts('place.embed')}</a>`
                : ''
            }</p>`,
    })
  })
}

const currentStatuses = ['open', 'acknowledged', 'closed']

const isSelected = (query: PlacePageQuery, choice: readonly string[]) =>
  (query.status ?? currentStatuses).join().toLowerCase() === choice.join()

function filterParameters(query: PlacePageQuery): { status?: string; search?: string } {
  const search = query.search?.trim()
  return {
    ...(isSelected(query, currentStatuses) ? {} : { status: (query.status ?? currentStatuses).join() }),
    ...(search ? { search } : {}),
  }
}

function feedUrl(place: PlaceRow, query: PlacePageQuery, { to }: Links): string {
  return to('/feeds/issues.atom', { place_url: place.url_name, ...filterParameters(query) })
}

function legend(counts: CountByStatus, included: readonly Status[], language: Language): SafeHtml {
  const entry = (status: Status) =>
    html`<li class="${status.toLowerCase()}">${statusName(status, language)} <b>${formatNumber(counts[status] ?? 0, language)}</b></li>`
  return html`<figcaption id="place-legend" data-follows-map><ul class="legend">${statuses.filter((status) => included.includes(status)).map(entry)}</ul></figcaption>`
}

function searchForm(action: string, query: PlacePageQuery, texts: Texts): SafeHtml {
  const { status, search = '' } = filterParameters(query)
  return html`<form class="search" id="place-filters" data-filters role="search" action="${action}">
    <label for="search">${texts('place.search')}</label>
    ${status === undefined ? '' : html`<input type="hidden" name="status" value="${status}">`}
    <div>
      <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="${texts('place.searchExample')}">
      <button>${texts('place.searchButton')}</button>
    </div>
  </form>`
}

type HrefWith = (changes: { status: string | undefined }) => string

function statusLinks(query: PlacePageQuery, hrefWith: HrefWith, texts: Texts, language: Language): SafeHtml {
  const link = (name: string, choice: readonly string[]) => {
    const href = hrefWith({ status: choice === currentStatuses ? undefined : choice.join() })
    return isSelected(query, choice) ? html`<a href="${href}" aria-current="true">${name}</a>` : html`<a href="${href}">${name}</a>`
  }
  return html`<nav class="choices" id="place-statuses" data-follows-map aria-label="${texts('place.status')}">${link(texts('place.current'), currentStatuses)}${statuses.map(
    (status) => link(statusName(status, language), [status.toLowerCase()]),
  )}</nav>`
}

interface EmptyList {
  readonly place: PlaceRow
  readonly query: PlacePageQuery
  readonly entries: number
  readonly links: Links
  readonly texts: Texts
}

function emptyText({ place, query, entries, links: { to }, texts }: EmptyList): SafeHtml {
  const path = `/places/${place.url_name}`
  const { status, search } = filterParameters(query)
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  if (entries > 0) return richText(texts, 'place.emptyPage', { first: link(to(path, { status, search })) })
  const words = search === undefined ? '' : texts('place.words', { search })
  const allStatuses = { status: statuses.join().toLowerCase(), search }
  if (status !== allStatuses.status && (search !== undefined || status !== undefined)) {
    const found =
      status === undefined
        ? texts('place.noCurrent', { place: place.name, words })
        : texts('place.noStatus', { statuses: listStatuses(status, texts.language), place: place.name, words })
    return html`${found} ${richText(texts, 'place.wider', { all: link(to(path, allStatuses)), current: link(to(path)) })}`
  }
  if (search !== undefined)
    return html`${texts('place.noneAtAll', { place: place.name, words })} ${richText(texts, 'place.otherWords', { current: link(to(path)) })}`
  return richText(texts, 'place.nothing', {
    place: place.name,
    archived: link(to(path, { status: 'archived' })),
    report: link(to(`${path}/report`)),
  })
}

/** Returns for example 'open or closed'. */
function listStatuses(parameter: string, language: Language): string {
  const names = parameter
    .toLowerCase()
    .split(',')
    .map((one) => statuses.find((status) => status.toLowerCase() === one))
    .map((status) => (status ? statusName(status, language).toLowerCase() : ''))
  return formatAlternatives(names, language)
}
