import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { html, type SafeHtml } from '../../html/template.ts'
import { listMainPlaces, type PlaceRow } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { createOpenCounts } from './open-counts.ts'
import { sendPage } from '../../html/page.ts'
import { placeCards, placeSearch } from './place-list.ts'

const PLACES_MAX = 24

export const homePage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const reader = { query: db.read }
  const counts = createOpenCounts(reader)

  app.get('/', async (request, reply) => {
    const links = createLinks(urls)
    const places = await listMainPlaces(reader, PLACES_MAX)
    const cards = await placeCards(reader, counts, urls, places)
    return sendPage(request, reply, urls, {
      title: 'Fixpoint',
      description: 'See what is broken in your city, and what is being done about it.',
      canonical: '/',
      feed: { title: 'Issues everywhere', href: links.to('/feeds/issues.atom') },
      body: html`<section class="hero">
          <h1>See what is broken in your city, and what is being done about it</h1>
          <p>
            Residents report potholes, dark street lights and dumped waste at the spot where they are. Neighbours comment and vote;
            city hall answers, acknowledges and closes.
          </p>
          ${places.length > 0 ? placeSearch(links) : ''}
        </section>
        ${places.length > 0 ? placeSection(cards, places, links) : emptyState}
        <section>
          <h2>For programs</h2>
          <p>All of it is an open API: issues by place, box, zoom or distance, as JSON with exact totals.</p>
          <pre tabindex="0"><code>curl '${urls.api(`/issues?place_url=${places[0]?.url_name ?? 'denver'}&status=open&sort=rating`)}'</code></pre>
          <p><a class="button" href="${links.to('/docs')}">Read the API reference</a></p>
        </section>`,
    })
  })
}

function placeSection(cards: readonly SafeHtml[], places: readonly PlaceRow[], { to }: Links): SafeHtml {
  return html`<section>
    <h2>${places.every(({ place_type }) => place_type === 'City') ? 'Cities' : 'Places'}</h2>
    <ul class="cards">${[...cards]}</ul>
    <p><a class="button" href="${to('/places')}">All places</a></p>
  </section>`
}

const emptyState = html`<section class="empty">
  <h2>There are no places yet</h2>
  <p>Fill the service from its folder, with eight demo cities or with data of your own, then load this page again:</p>
  <pre tabindex="0"><code>npm run seed
npm run import -- places places.geojson
npm run import -- issues issues.csv</code></pre>
</section>`
