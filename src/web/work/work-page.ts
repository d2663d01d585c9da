import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { formatNumber } from '../../html/format.ts'
import { createLinks, type Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { inLanguage } from '../../html/lang.ts'
import type { Box } from '../../geo/box.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { DetailsRow } from '../../issues/details-queries.ts'
import type { ListPage } from '../../issues/list/page.ts'
import type { IssueRow } from '../../issues/queries.ts'
import type { WorkKind, WorkOrganization, WorkPlace } from '../../organizations/work-queries.ts'
import { translateType } from '../../request-types/present.ts'
import { userName } from '../../users/present.ts'
import { issueCard } from '../cards/cards.ts'
import { workForm } from './work-form.ts'
import { listParameters, type WorkQuery, type WorkTab, workTabs } from './work-query.ts'

/** The map takes no more ids (`request_types` of `GET /issues`). */
const REQUEST_TYPES_MAX = 100

interface WorkView {
  readonly query: WorkQuery
  readonly tab: WorkTab
  readonly page: Page
  readonly organizations: readonly WorkOrganization[]
  /** False for an Admin who sees all organisations. */
  readonly isMember: boolean
  readonly kinds: readonly WorkKind[]
  readonly places: readonly WorkPlace[]
  readonly counts: ReadonlyMap<WorkTab, number>
  readonly list: Pick<ListPage, 'entries' | 'issues'>
  /** A box around all issues of the list. */
  readonly bounds: Box | undefined
  readonly details: readonly DetailsRow[]
}

export function workPage(view: WorkView, urls: Urls, language: Language): HtmlPage {
  const { query, tab, page, organizations, isMember, list, details } = view
  const { entries, issues } = list
  const links = createLinks(urls)
  const texts = textsIn(language)
  const map = mapLink(view, links)
  const cards = issues.map((issue) =>
    workCard(
      issue,
      details.find(({ id }) => id === issue.id),
      { urls, texts, language },
    ),
  )
  return {
    title: texts('work.title'),
    description: texts('work.description'),
    language,
    body: html`<h1>${texts('work.title')}</h1>
      <p class="quiet">${isMember ? organizations.map(({ name }) => name).join(' · ') : texts('work.allOrganizations')}</p>
      <nav class="choices" aria-label="${texts('work.title')}">${workTabs.map((one) => tabLink(one, view, links, language))}</nav>
      ${workForm({ ...view, texts, language }, links)}
      <section aria-labelledby="work-count">
        <h2 id="work-count">${texts('work.issues', { count: entries })}</h2>
        ${map === undefined ? '' : html`<p><a href="${map}">${texts('work.onMap')}</a></p>`}
        ${cards.length > 0 ? html`<ul class="cards">${cards}</ul>` : emptyState(view, links, texts)}
        ${pager(page, entries, (number) => links.to('/work', { ...parameters(query), tab, page: number }), language)}
      </section>
      ${isMember ? communityLinks(view, links, texts) : ''}`,
  }
}

/** The parameters that a tab keeps from another one. */
const parameters = ({ search, request_types, place_url, sort, status }: WorkQuery) => ({
  search,
  request_types: request_types?.join(),
  place_url,
  sort: sort === 'oldest' ? undefined : sort,
  status: status?.join(),
})

function tabLink(one: WorkTab, { query, tab, counts }: WorkView, { to }: Links, language: Language): SafeHtml {
  const href = to('/work', { ...parameters(query), tab: one })
  const count = formatNumber(counts.get(one) ?? 0, language)
  return html`<a href="${href}"${one === tab ? html` aria-current="true"` : ''}>${textsIn(language)(`work.tabs.${one}`)} ${count}</a>`
}

/** Returns the map with the same issues; undefined if there are more request types than its address takes. */
function mapLink({ query, tab, kinds, bounds }: WorkView, { to }: Links): string | undefined {
  const { sort: _sort, sort_direction: _direction, ...filters } = listParameters(query, tab, kinds)
  if (filters.request_types?.length === 0 || (filters.request_types?.length ?? 0) > REQUEST_TYPES_MAX) return undefined
  // A place has bounds of its own.
  const area = bounds && query.place_url === undefined ? mapBox(bounds) : {}
  return to('/', { ...Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)])), ...area })
}

/** The margin in degrees, about a street, keeps pins from the edge of the map. */
const MARGIN = 0.002

const mapBox = ({ west, south, east, north }: Box) => ({
  min_lat: toParameter(Math.max(south - MARGIN, -90)),
  min_lng: toParameter(Math.max(west - MARGIN, -180)),
  max_lat: toParameter(Math.min(north + MARGIN, 90)),
  max_lng: toParameter(Math.min(east + MARGIN, 180)),
})

const toParameter = (degrees: number) => Math.round(degrees * 1e5) / 1e5

function emptyState({ query, tab, list }: WorkView, { to }: Links, texts: Texts): SafeHtml {
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  if (list.entries > 0)
    return html`<p class="empty">${richText(texts, 'work.emptyPage', { first: link(to('/work', { ...parameters(query), tab })) })}</p>`
  const isFiltered = [query.search, query.request_types, query.place_url, query.status].some((value) => value !== undefined)
  return html`<p class="empty">${isFiltered ? richText(texts, 'work.noneMatches', { all: link(to('/work', { tab })) }) : texts(`work.empty.${tab}`)}</p>`
}

interface CardContext {
  readonly urls: Urls
  readonly texts: Texts
  readonly language: Language
}

function workCard(row: IssueRow, details: DetailsRow | undefined, { urls, texts, language }: CardContext): SafeHtml {
  const type = row.request_type && translateType(row.request_type, language)
  const votes = texts('work.votes', { count: details?.vote_count ?? 0 })
  const assignee = details?.assignee
    ? texts('work.assignedTo', { name: userName(details.assignee, language) })
    : texts('work.notAssigned')
  const title = type ? html`${inLanguage(type.title, type.language, language)} · ` : ''
  const more = html`<p class="quiet">${title}${votes} · ${assignee}</p>`
  return issueCard(row, urls, language, more)
}

/** Reports that belong to no organisation: members of an organisation may acknowledge and close those in its area. */
function communityLinks({ organizations, kinds }: WorkView, { to }: Links, texts: Texts): SafeHtml | string {
  const types = ['other', ...kinds.filter(({ is_own }) => !is_own).flatMap(({ ids }) => ids)]
  if (types.length > REQUEST_TYPES_MAX) return ''
  const link = ({ name, west, south, east, north }: WorkOrganization) =>
    html`<li><a href="${to('/', {
      ...{ request_types: types.join(), status: 'open' },
      ...{ min_lat: south, min_lng: west, max_lat: north, max_lng: east },
    })}">${texts('work.communityNear', { organization: name })}</a></li>`
  return html`<section aria-labelledby="community"><h2 id="community">${texts('work.community')}</h2>
    <p>${texts('work.communityHint')}</p><ul>${organizations.map(link)}</ul></section>`
}
