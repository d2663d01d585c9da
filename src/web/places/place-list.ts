import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { Queryable } from '../../database/database.ts'
import { findPoint, PointQuery } from '../../geo/area-query.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { PageQuery, toPage } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { listOutlines } from '../../places/outline-queries.ts'
import { listNearestPlaces, listPlaces, type NearbyPlaceRow, type PlaceRow } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { placeCard } from '../cards/cards.ts'
import type { Links } from '../../html/links.ts'
import { sendPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { LRUCache } from 'lru-cache'
import { countOpenIssues } from '../../issues/list/overview.ts'

const SHAPE_PIXELS = 120

const PlaceListQuery = Type.Object({
  lat: PointQuery.properties.lat,
  lng: PointQuery.properties.lng,
  page: PageQuery.properties.page,
  search: Type.Optional(Type.String({ maxLength: 100 })),
})

async function placeCards(
  db: Queryable,
  counts: OpenCounts,
  urls: Urls,
  texts: Texts,
  places: readonly (PlaceRow | NearbyPlaceRow)[],
): Promise<SafeHtml[]> {
  const ids = places.map(({ id }) => id)
  const [outlines, open] = await Promise.all([listOutlines(db, ids, SHAPE_PIXELS), counts(places)])
  return places.map((place) => {
    const outline = outlines.find(({ id }) => id === place.id)
    return placeCard(place, outline, open.get(place.id) ?? 0, urls, texts)
  })
}

function placeSearch({ to }: Links, texts: Texts, search: string): SafeHtml {
  return html`<form class="search" role="search" action="${to('/places')}">
    <label for="search">${texts('placeList.search')}</label>
    <div>
      <input id="search" name="search" type="search" maxlength="100" value="${search}" placeholder="Denver">
      <button>${texts('placeList.searchButton')}</button>
    </div>
  </form>`
}

export const placeListPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, links, urls }) => {
  const counts = createOpenCounts(db.reader)

  app.get('/places', { schema: { querystring: PlaceListQuery } }, async (request, reply) => {
    const texts = pageTexts(request)
    const search = request.query.search?.trim() ?? ''
    // A search by name takes precedence over a point.
    const point = search === '' ? await findPoint(request.query, areas) : undefined
    const page = toPage(request.query)
    const { entries, places } = point ? await listNearestPlaces(db.reader, point, page) : await listPlaces(db.reader, search, page)
    const cards = await placeCards(db.reader, counts, urls, texts, places)
    const pageHref = (number: number) =>
      links.to('/places', point ? { ...point, page: number } : { search: search === '' ? undefined : search, page: number })
    return sendPage(request, reply, urls, {
      title: point
        ? texts('placeList.titleNearPoint')
        : search === ''
          ? texts('placeList.title')
          : texts('placeList.titleNamed', { search }),
      description: texts('placeList.description'),
      ...(search === '' && !point && page.page === 1 ? { canonical: '/places' } : {}),
      body: html`<h1>${point ? texts('placeList.near', { lat: point.lat, lng: point.lng }) : texts('placeList.title')}</h1>
        ${placeSearch(links, texts, search)}
        <h2>${texts(search === '' ? 'placeList.places' : 'placeList.placesNamed', { count: entries, search })}</h2>
        <p>${point ? texts('placeList.nearestFirst') : texts('placeList.citiesFirst')}</p>
        ${cards.length > 0 ? html`<ul class="cards">${cards}</ul>` : html`<p class="empty">${emptyText(links, texts, search)}</p>`}
        ${pager(page, entries, pageHref, texts.language)}`,
    })
  })
}

function emptyText({ to }: Links, texts: Texts, search: string): SafeHtml {
  const link = (path: string) => (text: string) => html`<a href="${to(path)}">${text}</a>`
  return search === ''
    ? richText(texts, 'placeList.emptyPage', { home: link('/') })
    : richText(texts, 'placeList.notFound', { all: link('/places') })
}

/** Counting many issues is slow, so counts of 100 and more are cached for a minute. */
const CACHED_COUNT_MIN = 100
const CACHE_MS = 60_000
const CACHE_SIZE_MAX = 10_000

type OpenCounts = (places: readonly PlaceRow[]) => Promise<ReadonlyMap<number, number>>

function createOpenCounts(db: Queryable): OpenCounts {
  const cache = new LRUCache<number, number>({ max: CACHE_SIZE_MAX, ttl: CACHE_MS })
  return async (places) => {
    const cached = new Map(
      places.flatMap(({ id }): [number, number][] => {
        const count = cache.get(id)
        return count === undefined ? [] : [[id, count]]
      }),
    )
    const counted = await countOpenIssues(
      db,
      places.filter(({ id }) => !cached.has(id)),
    )
    for (const [id, count] of counted) if (count >= CACHED_COUNT_MIN) cache.set(id, count)
    return new Map([...cached, ...counted])
  }
}
