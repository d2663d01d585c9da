import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'

import { hasStreets } from '../../basemap/has-streets.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import type { Area } from '../../geo/area.ts'
import type { Box } from '../../geo/shapes.ts'
import { formatLocalDate } from '../../html/format.ts'
import { createLinks, type Links, redirectToLogin, seeOther } from '../../html/links.ts'
import { type HtmlPage, sendPage, sendPrivatePage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { reportLink } from '../../html/site-menu.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { type Page, toPage, withParameters } from '../../http/lists/pagination.ts'
import { apiPrefix, type Urls, URL_MAX } from '../../http/request/urls.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { setPagePosition } from '../../issue-lifecycle/changes-cursor.ts'
import { statusName, statuses } from '../../issue-lifecycle/status.ts'
import { findListPage } from '../../issues/list/page.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import { listOwnReports, type OwnIssueRow } from '../../issues/own-queries.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { type Texts } from '../../locales/texts.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, listMainPlaces, type PlaceRow } from '../../places/queries.ts'
import { listKinds } from '../../request-types/queries.ts'
import { areaParameters as ownAreaParameters } from '../../watch-areas/area-parameters.ts'
import { rowToArea } from '../../watch-areas/queries.ts'
import { issueCard, numberedSection, findNumbered, placeNamesAmong } from '../cards/cards.ts'
import { draftNotice } from '../report/drafts/draft-notice.ts'
import { mapReportForm } from '../report/drawn-point/drawn-point.ts'
import { ADDRESS_WORDS_MAX, createAddressLookup } from './address-lookup.ts'
import type { MapConfig } from './browser/config.ts'
import { fitView, formatView, parseView, reportViewOf, viewToBox } from './drawn/drawn-view.ts'
import {
  hasFilters,
  areaParameters,
  filterParameters,
  MapQuery,
  filterForm,
  DEFAULT_STATUS,
  type Parameters,
} from './filter-form.ts'
import { mapFailure, type WebServices } from './page-maps.ts'
import { createPlaceSearch, placeSearchForm, placeSearchResults } from './place-search.ts'
import { watchAreaTitle, toBounds, readOwnArea, ownBox, ownShape } from './shapes.ts'

interface IssueSection {
  readonly query: MapQuery
  readonly page: Page
  readonly entries: number
  readonly issues: readonly IssueRow[]
  /** The issue with the searched number, if it is not in the list. */
  readonly numbered: IssueRow | undefined
  /** The path is undefined if it would be too long. */
  readonly feed: string | undefined
  readonly texts: Texts
  readonly urls: Urls
  readonly hasPlaces: boolean
}

/** The list next to the map. Its script replaces the content of this element, so that both ways show the same list. */
function issueSection({ query, page, entries, issues, numbered, feed, texts, urls, hasPlaces }: IssueSection): SafeHtml {
  const { to } = createLinks(urls)
  const parameters = { ...areaParameters(query), ...filterParameters(query) }
  return html`<section id="issues" aria-labelledby="issues-count">
    ${numberedSection(numbered, urls, texts)}
    <h2 id="issues-count"><span role="status">${texts('map.issues', { count: entries })}</span></h2>
    ${
      issues.length > 0
        ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls, texts))}</ul>`
        : emptyList({ query, texts, urls, hasPlaces })
    }
    ${pager(page, entries, (number) => to('/', { ...parameters, page: number }), texts.language)}
    ${feed === undefined ? '' : html`<p class="quiet"><a href="${feed}">${texts('map.feed')}</a>${query.watch_area === undefined ? html` · <a href="${to('/data', { ...parameters, view: undefined })}">${texts('place.data')}</a>` : ''}</p>`}
  </section>`
}

function emptyList({ query, texts, urls, hasPlaces }: Pick<IssueSection, 'query' | 'texts' | 'urls' | 'hasPlaces'>): SafeHtml {
  if (!hasPlaces) return html`<p class="empty">${texts('map.noPlaces')} ${fillCommands}</p>`
  if (!hasFilters(query)) return html`<p class="empty">${texts('map.emptyUnfiltered')}</p>`
  return html`<p class="empty">${texts('map.empty')} <a href="${createLinks(urls).to('/', areaParameters(query))}">${texts('map.showAll')}</a></p>`
}

const fillCommands = html`<pre tabindex="0"><code>npm run seed
npm run import -- places places.geojson
npm run import -- issues issues.csv</code></pre>`

const PLACES_MAX = 12
/** More names would make the page much larger; the search finds the others, too. */
const NAMES_MAX = 200
/** More kinds are not legible in a select. */
const KINDS_MAX = 100

const MapPageQuery = Type.Object({
  ...MapQuery.properties,
  find: Type.Optional(Type.String({ maxLength: ADDRESS_WORDS_MAX })),
})

/** The map of all issues with its list, which is complete without scripts. */
export const mapPage: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, links, urls, areas, maps } = services
  const addresses = createAddressLookup(services)
  const findPlaces = createPlaceSearch(db.reader, addresses)
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/', { schema: { querystring: MapPageQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const texts = pageTexts(request)
    const page = toPage(query)
    await setPagePosition(reply, db.reader)
    if (query.watch_area !== undefined && !viewer) return redirectToLogin(request, reply, urls)
    const own = query.watch_area === undefined ? undefined : await readOwnArea(db, query.watch_area, viewer)
    const { filter, area } = await parseListQuery({ reader: db.reader, areas, area: own && rowToArea(own) }, query, page, viewer)
    const words = query.find?.trim() ?? ''
    const box = own ? ownBox(own) : await findBox(area)
    const found = words === '' ? undefined : await findPlaces(request, reply, { words, near: box, language: texts.language })
    const filters = filterParameters(query)
    if (found?.issue && words.startsWith('#')) return seeOther(reply, urls, `/issues/${found.issue.id}`)
    if (found?.exact) return redirectToPlace(reply, found.exact, filters)
    const [{ entries, issues }, place, places, kinds, held, draft] = await Promise.all([
      findListPage(db.reader, { filter, order: { by: 'created_at', direction: 'DESC' }, pagePosition: page, viewer }),
      area.kind === 'place' && query.place_url !== undefined ? findPlaceByUrlName(db.reader, query.place_url) : undefined,
      listMainPlaces(db.reader, NAMES_MAX),
      listKinds(db.reader, KINDS_MAX, texts.language),
      viewer ? listOwnReports(db, viewer, 'held', { page: 1, perPage: OWN_HELD_MAX }) : undefined,
      draftNotice(request, services, texts),
    ])
    const areaOfQuery = areaParameters(query)
    const isEverywhere = Object.keys(areaOfQuery).length === 0
    const view = own || place ? parseView(query.view ?? '') : undefined
    const reportView = view ? formatView(view) : box && !isEverywhere ? reportViewOf(box) : undefined
    const reportPath = place ? `/places/${place.url_name}/report` : '/report'
    const reportHref = links.to(reportPath, place && !view ? {} : { view: reportView })
    const numbered = await findNumbered(db.reader, query.search, issues, viewer)
    const drawing = links.to('/map/drawing.svg', { ...areaOfQuery, ...filters })
    const controls = maps.controls(texts.language)
    const config: MapConfig = {
      ...controls,
      tileJson: links.to('/tiles/issues.json'),
      drawing: { path: drawing, text: texts('map.drawn'), loading: texts('map.loading') },
      bounds: toBounds(box),
      ...(view ? { view: { zoom: view.zoom, center: view.centre } } : {}),
      isView: area.kind === 'box',
      ...(place ? { outline: links.to('/map/outline.json', { place_url: place.url_name }) } : {}),
      ...(own ? { area: ownShape(own) } : {}),
      controlTexts: { ...controls.controlTexts, 'Map.Title': texts('map.titleForKeys'), 'Popup.Close': texts('map.offerClose') },
      offer: { path: links.to('/report'), text: texts('map.offer') },
      changes: { path: links.to(`${apiPrefix}/changes/stream`), texts: texts.section('work.news') },
      failed: { map: texts('map.failed.map'), list: texts('map.failed.list') },
    }
    const isWhole = !found && isEverywhere && Object.keys(filters).length === 0 && page.page === 1
    const feedParameters = { ...(own ? ownAreaParameters(own) : areaOfQuery), ...filters, view: undefined }
    const feedHref = links.to('/feeds/issues.atom', feedParameters)
    // Addresses have a limit, and a polygon may be longer.
    const feed = feedHref.length > URL_MAX ? undefined : feedHref
    const heading = own ? watchAreaTitle(own, texts) : place?.name
    const htmlPage: HtmlPage = {
      title: heading ?? texts('map.title'),
      description: texts('map.description'),
      ...(isWhole ? { canonical: '/' } : {}),
      ...(feed === undefined ? {} : { feed: { title: texts('map.feed'), href: feed } }),
      reportView,
      reportsOnMap: !own,
      map: await maps.full(),
      body: html`<div class="map-page issue-map">
        ${placeSearchForm({ query, words, names: places.map(({ name }) => name), hasAddresses: await addresses.canSearch(), language: texts.language, links })}
        <div id="map" class="map-canvas" role="region" aria-label="${texts('map.map')}" data-map="${JSON.stringify(config)}">
          <noscript>${own ? html`<img src="${drawing}" alt="${texts('map.drawn')}">` : mapReportForm({ path: reportPath, href: reportHref, view: view ?? fitView(box), drawing, texts, links })}</noscript>
        </div>
        ${mapLegend(query.status?.map((status) => status.toLowerCase()) ?? DEFAULT_STATUS.split(','), texts)}
        <div class="map-panel" id="map-panel">
          ${sheetButton(texts)}
          ${found ? placeSearchResults(found, query, texts, links) : ''}
          ${draft}
          ${viewer?.isAdmin && !(await hasStreets(services)) ? streetsNotice(texts) : ''}
          <h1 id="map-heading" data-follows-map>${heading ?? texts('map.heading')}</h1>
          <div class="map-tools">
            <p id="map-report" data-follows-map>${reportLink({ href: reportHref, text: texts('map.reportHere'), onMap: !own, isButton: true })}</p>
            <p id="map-area" data-follows-map>${heading && box ? areaChip(heading, links.to('/', { ...boxParameters(view ? viewToBox(view) : box), ...filters }), texts) : ''}</p>
            ${filterForm({ query, kinds, viewer, texts, links })}
            ${placeChoices({ places, place, isEverywhere: !place && !own, filters, texts, links })}
          </div>
          ${mapFailure}
          <p id="map-news" class="map-news" role="status"></p>
          ${ownHeldSection(held?.issues ?? [], texts, links)}
          ${issueSection({ query, page, entries, issues, numbered, feed, texts, urls, hasPlaces: places.length > 0 })}
        </div>
      </div>`,
    }
    return own || draft ? sendPrivatePage(request, reply, urls, htmlPage) : sendPage(request, reply, urls, htmlPage)
  })

  function redirectToPlace(reply: FastifyReply, { url_name }: PlaceRow, filters: Parameters) {
    const parameters = Object.entries({ ...filters, place_url: url_name }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return seeOther(reply, urls, withParameters('/', parameters))
  }

  /** Returns the box that the map shows first. */
  async function findBox(area: Area): Promise<Box | undefined> {
    if (area.kind === 'box') return area.box
    return findPlaceBounds(db.reader, area.kind === 'place' ? area.placeId : undefined)
  }
}

interface PlaceChoices {
  readonly places: readonly PlaceRow[]
  /** The place of the page. */
  readonly place: PlaceRow | undefined
  readonly isEverywhere: boolean
  readonly filters: Parameters
  readonly texts: Texts
  readonly links: Links
}

/** Returns links to the maps of places, which keep the filters. */
function placeChoices({ places, place, isEverywhere, filters, texts, links: { to } }: PlaceChoices): SafeHtml {
  const nameOf = placeNamesAmong(places)
  const choices = places.slice(0, PLACES_MAX).map((one) => {
    const current = one.url_name === place?.url_name ? html` aria-current="true"` : ''
    return html`<a href="${to('/', { ...filters, place_url: one.url_name })}"${current}>${nameOf(one)}</a>`
  })
  return html`<details class="place-choices"><summary>${texts('map.places')}</summary>
    <nav class="choices" id="map-places" data-follows-map aria-label="${texts('map.places')}">
      ${isEverywhere ? '' : html`<a href="${to('/', filters)}">${texts('map.everywhere')}</a>`}
      ${choices}
      <a href="${to('/places')}">${texts('map.allPlaces')}</a>
    </nav></details>`
}

/** Returns the name of the area as a link to the issues of the view, so that the list follows the map. */
const areaChip = (name: string, href: string, texts: Texts): SafeHtml =>
  html`<a class="chip" href="${href}" aria-label="${texts('map.leaveArea', { area: name })}"><span>${name}</span> <span aria-hidden="true">×</span></a>`

const boxParameters = ({ west, south, east, north }: Box): Parameters =>
  Object.fromEntries(
    Object.entries({ min_lat: south, min_lng: west, max_lat: north, max_lng: east }).map(([name, degrees]) => [
      name,
      degrees.toFixed(5),
    ]),
  )

/**
 * The legend on the map, which a phone folds.
 * @param selected statuses in lower case; the script of the map shows others when the filters change
 */
function mapLegend(selected: readonly string[], texts: Texts): SafeHtml {
  const entries = statuses.map((status) => {
    const name = status.toLowerCase()
    return html`<li class="${name}" data-status="${name}"${selected.includes(name) ? '' : html` hidden`}>${statusName(status, texts.language)}</li>`
  })
  return html`<details class="map-legend"><summary>${texts('legend.label')}</summary>
    <ul class="legend" aria-label="${texts('legend.label')}">${entries}<li class="cluster">${texts('legend.cluster')}</li></ul></details>`
}

/** Says to administrators what to do if the maps have no streets. */
const streetsNotice = (texts: Texts): SafeHtml =>
  html`<section class="empty" aria-labelledby="streets-notice-name">
    <h2 id="streets-notice-name">${texts('map.noStreets.heading')}</h2>
    <p>${texts('map.noStreets.text')}</p>
    <pre tabindex="0"><code>npm run basemap -- city.pmtiles
npm run basemap -- openfreemap</code></pre>
    <p class="quiet">${texts('map.noStreets.help')}</p>
  </section>`

/** The handle of the sheet that has the list on a phone. Only a script can move the sheet, so the script shows the button. */
function sheetButton(texts: Texts): SafeHtml {
  return html`<button class="sheet-handle" type="button" data-sheet data-collapse="${texts('sheet.collapse')}" aria-expanded="false" aria-controls="map-panel" hidden><span>${texts('sheet.expand')}</span></button>`
}

/** The page of a reporter lists this number of the newest held reports. */
const OWN_HELD_MAX = 20

/**
 * The viewer's reports that wait for a review. They are not part of the list, whose number is that of the API. A script draws them on the map.
 */
function ownHeldSection(issues: readonly OwnIssueRow[], texts: Texts, { to }: Links): SafeHtml | string {
  if (issues.length === 0) return ''
  return html`<section id="own-held" class="waiting" aria-labelledby="own-held-name">
    <h2 id="own-held-name">${texts('ownHeld.heading')}</h2>
    <p class="quiet">${texts('ownHeld.hint')} <a href="${to('/account/reports')}">${texts('ownHeld.all')}</a></p>
    <ul class="found">${issues.map(
      ({ id, lng, lat, summary, created_at }) =>
        html`<li data-issue="${id}" data-lng="${lng}" data-lat="${lat}"><a href="${to(`/issues/${id}`)}">${summary}</a>
          <span class="quiet">${formatLocalDate(created_at, texts, { lat, lng })}</span></li>`,
    )}</ul>
  </section>`
}
