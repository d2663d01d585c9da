import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import type { Queryable } from '../../database/database.ts'
import { findPoint, PointQuery } from '../../geo/area-query.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { toPage, PageQuery } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { listOutlines } from '../../places/outline-queries.ts'
import { listPlaces, listNearestPlaces, type NearbyPlaceRow, type PlaceRow } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { placeCard } from '../issues/cards.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { sendPage } from '../../html/page.ts'
import { type OpenCounts, createOpenCounts } from './open-counts.ts'
import { pager } from '../../html/pager.ts'
import { formatCount } from '../../html/format.ts'
import { text } from '../../errors/texts/text.ts'

const SHAPE_PIXELS = 120

const PlaceListQuery = Type.Object({
  lat: PointQuery.properties.lat,
  lng: PointQuery.properties.lng,
  page: PageQuery.properties.page,
  search: Type.Optional(Type.String({ maxLength: 100, 'x-allowed': text('a_text_up_to', { max: 100 }) })),
})

export async function placeCards(
  db: Queryable,
  counts: OpenCounts,
  urls: Urls,
  places: readonly (PlaceRow | NearbyPlaceRow)[],
): Promise<SafeHtml[]> {
  const ids = places.map(({ id }) => id)
  const [outlines, open] = await Promise.all([listOutlines(db, ids, SHAPE_PIXELS), counts(places)])
  return places.map((place) => {
    const outline = outlines.find(({ id }) => id === place.id)
    return placeCard(place, outline, open.get(place.id) ?? 0, urls)
  })
}

export function placeSearch({ to }: Links, search = ''): SafeHtml {
  return html`<form class="search" role="search" action="${to('/places')}">
    <label for="search">Find a place by its name</label>
    <div>
      <input id="search" name="search" type="search" maxlength="100" value="${search}" placeholder="Denver">
      <button>Search</button>
    </div>
  </form>`
}

export const placeListPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  const reader = { query: db.read }
  const counts = createOpenCounts(reader)

  app.get('/places', { schema: { querystring: PlaceListQuery } }, async (request, reply) => {
    const search = request.query.search?.trim() ?? ''
    // A search by name takes precedence over a point.
    const point = search === '' ? await findPoint(request.query, areas) : undefined
    const page = toPage(request.query)
    const { entries, places } = point ? await listNearestPlaces(reader, point, page) : await listPlaces(reader, search, page)
    const cards = await placeCards(reader, counts, urls, places)
    const links = createLinks(urls)
    const pageHref = (number: number) =>
      links.to('/places', point ? { ...point, page: number } : { search: search === '' ? undefined : search, page: number })
    return sendPage(request, reply, urls, {
      title: point ? 'Places near a point' : search === '' ? 'Places' : `Places named “${search}”`,
      description: 'All the cities, counties and states whose issues can be read here.',
      ...(search === '' && !point && page.page === 1 ? { canonical: '/places' } : {}),
      body: html`<h1>${point ? `Places near ${point.lat}, ${point.lng}` : 'Places'}</h1>
        ${placeSearch(links, search)}
        <h2>${formatCount(entries, 'place')}${search === '' ? '' : ` with “${search}” in the name`}</h2>
        <p>${point ? NEAREST_FIRST : 'Cities first, by name.'}</p>
        ${cards.length > 0 ? html`<ul class="cards">${cards}</ul>` : emptyState(links, search)}
        ${pager(page, entries, pageHref)}`,
    })
  })
}

const NEAREST_FIRST =
  'Nearest first: the places that contain the point, the smallest of them first, then the others by their distance.'

function emptyState({ to }: Links, search: string): SafeHtml {
  if (search === '') return html`<p class="empty">There is nothing on this page. <a href="${to('/')}">What to do next</a></p>`
  return html`<p class="empty">No place has that in its name. Try a shorter part of it,
    or see <a href="${to('/places')}">all places</a>.</p>`
}
