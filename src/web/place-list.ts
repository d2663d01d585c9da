import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html, type SafeHtml } from '@remix-run/html-template'
import Type from 'typebox'

import type { Queryable } from '../database/database.ts'
import { pageOf, PageQuery } from '../http/pagination.ts'
import type { Urls } from '../http/urls.ts'
import { listOutlines } from '../places/outline-queries.ts'
import { listPlaces, type PlaceRow } from '../places/queries.ts'
import type { Services } from '../services.ts'
import { placeCard } from './cards.ts'
import { type Links, linksOf } from './links.ts'
import { sendPage } from './page.ts'
import { type OpenCounts, openCounts } from './open-counts.ts'
import { pager } from './pager.ts'
import { countText } from './words.ts'

const SHAPE_PIXELS = 120

const PlaceListQuery = Type.Object({
  page: PageQuery.properties.page,
  search: Type.Optional(Type.String({ maxLength: 100, 'x-allowed': 'a text of at most 100 characters' })),
})

/** A card for each place, in their order. */
export async function placeCards(db: Queryable, counts: OpenCounts, urls: Urls, places: readonly PlaceRow[]): Promise<SafeHtml[]> {
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

export const placeListPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const reader = { query: db.read }
  const counts = openCounts(reader)

  app.get('/places', { schema: { querystring: PlaceListQuery } }, async (request, reply) => {
    const search = request.query.search?.trim() ?? ''
    const page = pageOf(request.query)
    const { entries, places } = await listPlaces(reader, search, page)
    const cards = await placeCards(reader, counts, urls, places)
    const links = linksOf(urls)
    const hrefOf = (number: number) => links.to('/places', { search: search === '' ? undefined : search, page: number })
    return sendPage(request, reply, urls, {
      title: search === '' ? 'Places' : `Places named “${search}”`,
      description: 'All the cities, counties and states whose issues can be read here.',
      ...(search === '' && page.page === 1 ? { canonical: '/places' } : {}),
      body: html`<h1>Places</h1>
        ${placeSearch(links, search)}
        <h2>${countText(entries, 'place')}${search === '' ? '' : ` with “${search}” in the name`}</h2>
        ${cards.length > 0 ? html`<ul class="cards">${cards}</ul>` : nothing(links, search)}
        ${pager(page, entries, hrefOf)}`,
    })
  })
}

function nothing({ to }: Links, search: string): SafeHtml {
  if (search === '') return html`<p class="empty">There is nothing on this page. <a href="${to('/')}">What to do next</a></p>`
  return html`<p class="empty">No place has that in its name. Try a shorter part of it,
    or see <a href="${to('/places')}">all places</a>.</p>`
}
