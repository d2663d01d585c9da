import { html, type SafeHtml } from '../../html/template.ts'
import type { Links } from '../../html/links.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import type { MapTexts } from './map-texts.ts'
import { areaParameters, DEFAULT_STATUS, type MapQuery } from './map-query.ts'

/** A kind of problem: the request types of all organisations that have the same title. */
export interface Kind {
  readonly title: string
  readonly ids: readonly number[]
}

interface FilterForm {
  readonly query: MapQuery
  readonly kinds: readonly Kind[]
  readonly viewer: Viewer | null
  readonly texts: MapTexts
  readonly language: Language
  readonly links: Links
}

/** The form sends a GET request; its script keeps the area in step with the map. */
export function filterForm({ query, kinds, viewer, texts, language, links }: FilterForm): SafeHtml {
  const selected = (query.status ?? DEFAULT_STATUS.split(',')).map((status) => status.toLowerCase())
  const area = Object.entries(areaParameters(query))
  return html`<form class="filters" data-filters role="search" action="${links.to('/')}">
    ${area.map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
    <details${hasFilters(query) ? html` open` : ''}>
      <summary>${texts.filters}</summary>
      <div class="field">
        <label for="words">${texts.words}</label>
        <input id="words" name="search" type="search" maxlength="200" value="${query.search ?? ''}">
      </div>
      <fieldset class="field choices-inline">
        <legend>${texts.status}</legend>
        ${statuses.map(
          (status) =>
            html`<label class="choice"><input type="checkbox" name="status" value="${status.toLowerCase()}"${
              selected.includes(status.toLowerCase()) ? html` checked` : ''
            }><span class="status ${status.toLowerCase()}">${statusName(status, language)}</span></label>`,
        )}
      </fieldset>
      ${kinds.length > 0 ? kindField(query, kinds, texts) : ''}
      <div class="pair">
        <div class="field"><label for="after">${texts.from}</label><input id="after" type="date" name="after" value="${toDay(query.after)}"></div>
        <div class="field"><label for="before">${texts.until}</label><input id="before" type="date" name="before" value="${toDay(query.before)}"></div>
      </div>
      ${
        viewer
          ? html`<label class="choice"><input type="checkbox" name="assigned_to_me" value="true"${
              query.assigned_to_me ? html` checked` : ''
            }> ${texts.assignedToMe}</label>`
          : ''
      }
      <p class="buttons" id="filter-buttons" data-follows-map><button class="second">${texts.apply}</button> <a href="${links.to('/', areaParameters(query))}">${texts.reset}</a></p>
    </details>
  </form>`
}

function kindField(query: MapQuery, kinds: readonly Kind[], texts: MapTexts): SafeHtml {
  const current = query.request_types?.join()
  return html`<div class="field">
    <label for="kind">${texts.kind}</label>
    <select id="kind" name="request_types">
      <option value="">${texts.everyKind}</option>
      ${kinds.map(({ title, ids }) => html`<option value="${ids.join()}"${ids.join() === current ? html` selected` : ''}>${title}</option>`)}
    </select>
  </div>`
}

const toDay = (timestamp: string | undefined) => timestamp?.slice(0, 10) ?? ''

export const hasFilters = ({ status, search, request_types, after, before, assigned, assigned_to_me }: MapQuery): boolean =>
  [search, request_types, after, before, assigned, assigned_to_me].some((value) => value !== undefined) ||
  (status !== undefined && status.join().toLowerCase() !== DEFAULT_STATUS)
