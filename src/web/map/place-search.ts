import type { FastifyReply, FastifyRequest } from 'fastify'

import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import { hiddenField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Box } from '../../geo/shapes.ts'
import { listPlaces, type PlaceRow } from '../../places/queries.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { fullPlaceName, findNumbered } from '../cards/cards.ts'
import { ADDRESS_WORDS_MAX, type AddressLookup, type AddressResults } from './address-lookup.ts'
import { areaParameters, filterParameters, type MapQuery } from './filter-form.ts'

const PLACES_MAX = 10
/** A map of this zoom shows the streets around an address. */
const ADDRESS_ZOOM = 17

interface FoundPlaces {
  readonly words: string
  /** The place that has just this name, or is the only one found. */
  readonly exact: PlaceRow | undefined
  readonly places: readonly PlaceRow[]
  /** The issue whose number was searched. */
  readonly issue: IssueRow | undefined
  /** The value is undefined if there are no addresses. */
  readonly addresses: AddressResults | undefined
}

/** Finds places by name, and addresses. */
export function createPlaceSearch(reader: Queryable, lookup: AddressLookup) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { words, near, language }: { words: string; near: Box | undefined; language: Language },
  ): Promise<FoundPlaces> => {
    const [{ places }, issue] = await Promise.all([
      listPlaces(reader, words, { page: 1, perPage: PLACES_MAX }),
      findNumbered(reader, words, [], request.viewer),
    ])
    const [named, ...others] = places.filter(({ name }) => isSameName(name, words))
    // The user chooses between places of one name.
    if (named && others.length === 0) return { words, exact: named, places, issue, addresses: undefined }
    const address = await lookup.search(request, reply, { words, near, language })
    const results = address?.results
    // An address may have the name of a place.
    const hasAddress = results !== undefined && !('found' in results && results.found.length === 0)
    const exact = !hasAddress && !issue && places.length === 1 ? places[0] : undefined
    return { words, exact, places, issue, addresses: results }
  }
}

const isSameName = (name: string, words: string) => name.localeCompare(words, undefined, { sensitivity: 'base' }) === 0

interface PlaceSearchForm {
  readonly query: MapQuery
  readonly words: string
  /** Names that the browser suggests. */
  readonly names: readonly string[]
  readonly hasAddresses: boolean
  readonly language: Language
  readonly links: Links
}

/** The form keeps the filters, and the area for addresses near it. */
export function placeSearchForm({ query, words, names, hasAddresses, language, links }: PlaceSearchForm): SafeHtml {
  const texts = textsIn(language)
  const label = hasAddresses ? texts('placeSearch.labelWithAddress') : texts('placeSearch.label')
  const parameters = Object.entries({ ...areaParameters(query), ...filterParameters(query) })
  return html`<form class="place-search" id="place-search" role="search" aria-label="${label}" action="${links.to('/')}">
    <span id="search-area" data-follows-map>${parameters.map(([name, value]) => hiddenField(name, String(value)))}</span>
    <input name="find" type="search" maxlength="${ADDRESS_WORDS_MAX}" value="${words}" aria-label="${label}" placeholder="${label}" list="place-names" autocomplete="off" required>
    <button>${texts('placeSearch.search')}</button>
    <datalist id="place-names">${[...new Set(names)].map((name) => html`<option value="${name}"></option>`)}</datalist>
  </form>`
}

/** Returns the results as links to the map of the place or the address. */
export function placeSearchResults(found: FoundPlaces, query: MapQuery, texts: Texts, { to }: Links): SafeHtml {
  const filters = filterParameters(query)
  const failure =
    found.addresses && 'failure' in found.addresses ? texts(`placeSearch.failures.${found.addresses.failure}`) : undefined
  const addresses = found.addresses && 'found' in found.addresses ? found.addresses.found : []
  const entries = [
    ...(found.issue ? [{ href: to(`/issues/${found.issue.id}`), name: `#${found.issue.id} ${found.issue.summary}` }] : []),
    ...found.places.map((place) => ({ href: to('/', { ...filters, place_url: place.url_name }), name: fullPlaceName(place) })),
    ...addresses.map(({ name, point: { lat, lng } }) => ({ href: to('/', { ...filters, lat, lng, zoom: ADDRESS_ZOOM }), name })),
  ]
  return html`<section class="found-places" aria-labelledby="found-name">
    <div role="status">
      <h2 id="found-name">${entries.length > 0 || failure ? texts('placeSearch.found', { words: found.words }) : texts('placeSearch.none', { words: found.words })}</h2>
      ${failure ? html`<p class="field-error">${failure}</p>` : ''}
    </div>
    <ul class="found">${entries.map(({ href, name }) => html`<li><a href="${href}">${name}</a></li>`)}</ul>
  </section>`
}
