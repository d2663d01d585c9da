import type { Texts } from '../../locales/texts.ts'
import { createLinks } from '../../html/links.ts'
import { pager } from '../../html/pager.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { issueCard } from '../cards/cards.ts'
import { numberedSection } from '../cards/numbered-issue.ts'
import { hasFilters } from './filter-form.ts'
import { areaParameters, filterParameters, type MapQuery } from './map-query.ts'

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
export function issueSection({ query, page, entries, issues, numbered, feed, texts, urls, hasPlaces }: IssueSection): SafeHtml {
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
