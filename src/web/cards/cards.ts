import type { Queryable } from '../../database/database.ts'
import { formatLocalDate } from '../../html/format.ts'
import { createLinks } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Outcome, outcomeName, statusName, type Status } from '../../issue-lifecycle/status.ts'
import { parseIssueNumber } from '../../issues/list/filter.ts'
import { toIssue } from '../../issues/present.ts'
import { type IssueRow, findIssue } from '../../issues/queries.ts'
import type { Language, Texts } from '../../locales/texts.ts'
import type { Outline } from '../../places/outline-queries.ts'
import type { NearbyPlaceRow, PlaceRow } from '../../places/queries.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'

/** The badge of a closed issue has its outcome, if it is known. */
export function statusBadge({ status, outcome }: IssueState, language: Language): SafeHtml {
  const why = outcome === null ? '' : html` · ${outcomeName(outcome, language)}`
  return html`<span class="status ${status.toLowerCase()}">${statusName(status, language)}${why}</span>`
}

interface IssueState {
  readonly status: Status
  readonly outcome: Outcome | null
}

/** Returns the number by which every search finds the issue. */
export const issueNumber = ({ id }: { readonly id: number }): SafeHtml => html`<b class="number">#${id}</b>`

/** @param more lines below those of every card */
export function issueCard(row: IssueRow, urls: Urls, texts: Texts, more: SafeHtml | string = ''): SafeHtml {
  const { relative } = createLinks(urls)
  const issue = toIssue(row, urls)
  const image = relative(issue.media.image_square_100x100 ?? issue.media.representative_image_url)
  return html`<li class="card issue" data-issue="${issue.id}" data-lng="${issue.lng}" data-lat="${issue.lat}">
    <img src="${image}" width="48" height="48" alt="" loading="lazy">
    <div>
      <h3><a href="${relative(issue.html_url)}">${issue.summary}</a></h3>
      <p class="quiet">${statusBadge(issue, texts.language)} ${issueNumber(issue)} · ${formatLocalDate(issue.created_at, texts, issue)}${issue.address ? ` · ${issue.address}` : ''}</p>
      ${more}
    </div>
  </li>`
}

/** Returns for example 'City · Denver County · CO', without unknown or repeated parts. */
export function placeSubtitle({ name, place_type, county, state }: PlaceRow, texts: Texts): string {
  const type = place_type === null ? null : (texts.section('place.types')[place_type] ?? place_type)
  return [type, county === name ? null : county, state].filter(Boolean).join(' · ')
}

export function placeCard(
  place: PlaceRow | NearbyPlaceRow,
  outline: Outline | undefined,
  openIssues: number,
  urls: Urls,
  texts: Texts,
): SafeHtml {
  const { to } = createLinks(urls)
  const centre = { lng: place.center_lng, lat: place.center_lat }
  const map = { label: texts('card.shape', { place: place.name }), centre, width: 96, margin: 6 }
  const shape = outline ? mapSvg({ ...map, outlines: [outline.boundary] }) : ''
  return html`<li class="card place">
    <div class="shape" aria-hidden="true">${shape}</div>
    <div>
      <h3><a href="${to(`/places/${place.url_name}`)}">${place.name}</a></h3>
      <p class="quiet">${placeSubtitle(place, texts)}</p>
      ${'contains' in place ? html`<p class="quiet">${place.contains ? texts('card.contains') : texts('card.containsNot')}</p>` : ''}
      <p class="count">${texts('card.openIssues', { count: openIssues })}</p>
    </div>
  </li>`
}

/** Returns the issue whose number is searched, unless it is one of `issues`: its place or status may be none of the list. */
export async function findNumbered(
  db: Queryable,
  search: string | undefined,
  issues: readonly Pick<IssueRow, 'id'>[],
  viewer: Viewer | null,
): Promise<IssueRow | undefined> {
  const number = parseIssueNumber(search)
  if (!number || issues.some(({ id }) => id === number.id)) return undefined
  return findIssue(db, number.id, viewer)
}

export function numberedSection(row: IssueRow | undefined, urls: Urls, texts: Texts): SafeHtml | string {
  if (!row) return ''
  return html`<section aria-labelledby="numbered"><h2 id="numbered">${texts('card.numbered')}</h2>
    <ul class="cards">${issueCard(row, urls, texts)}</ul></section>`
}

type NamedPlace = Pick<PlaceRow, 'name' | 'county' | 'state'>

/** Returns for example 'Springfield, Greene County, MO', without unknown or repeated parts. */
export const fullPlaceName = ({ name, county, state }: NamedPlace): string =>
  [name, county === name ? null : county, state].filter(Boolean).join(', ')

/** Returns a function that names the places of a list: those of one name by their county and state, too. */
export function placeNamesAmong(places: readonly NamedPlace[]): (place: NamedPlace) => string {
  const counts = Map.groupBy(places, ({ name }) => name)
  return (place) => ((counts.get(place.name)?.length ?? 0) > 1 ? fullPlaceName(place) : place.name)
}
