import Type, { type Static } from 'typebox'

import { AreaQuery } from '../../geo/area-query.ts'
import type { Links } from '../../html/links.ts'
import { hiddenField, inputField, selectField, type SelectField } from '../../html/fields.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { PageQuery } from '../../http/lists/pagination.ts'
import { Id } from '../../http/schema/fields.ts'
import { statusName, statuses } from '../../issue-lifecycle/status.ts'
import { ListIssuesQuery } from '../../issues/list/query.ts'
import { text, type Texts } from '../../locales/texts.ts'

const { status, search, request_types, after, before, assigned, assigned_to_me } = ListIssuesQuery.properties
const { lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng } = AreaQuery.properties

/**
 * The area forms and filters of `GET /issues` in the address of the map page. The token of a watch area has no place here, because
 * the address is shared: `watch_area` is an id, which works only in the session of the owner.
 */
export const MapQuery = Type.Object({
  watch_area: Type.Optional({ ...Id, description: 'The id of one of your watch areas.', 'x-allowed': text('positive_integer') }),
  ...{ lat, lng, zoom, place_url, min_lat, min_lng, max_lat, max_lng },
  ...{ status, search, request_types, after, before, assigned, assigned_to_me },
  page: PageQuery.properties.page,
  /** The view `zoom/lat/lng` of a map whose list stays that of a place or a watch area. */
  view: Type.Optional(Type.String()),
})
export type MapQuery = Static<typeof MapQuery>

const filterNames = ['status', 'search', 'request_types', 'after', 'before', 'assigned', 'assigned_to_me'] as const
const areaNames = ['watch_area', 'lat', 'lng', 'zoom', 'place_url', 'min_lat', 'min_lng', 'max_lat', 'max_lng'] as const

export type Parameters = Readonly<Record<string, string | number | undefined>>

/** Returns the filters of a query as parameters of a link. The default of `status` is left out. */
export const filterParameters = (query: MapQuery): Parameters => pick(query, filterNames)

/** Returns the area of a query as parameters of a link, with the view inside of a place or a watch area. */
export const areaParameters = (query: MapQuery): Parameters =>
  pick(query, query.place_url === undefined && query.watch_area === undefined ? areaNames : [...areaNames, 'view'])

function pick(query: MapQuery, names: readonly (keyof MapQuery)[]): Parameters {
  const entries = names.flatMap((name) => {
    const value = query[name]
    const text = Array.isArray(value) ? value.join() : value === undefined ? undefined : String(value)
    return text === undefined || (name === 'status' && text === DEFAULT_STATUS) ? [] : [[name, text] as const]
  })
  return Object.fromEntries(entries)
}

export const DEFAULT_STATUS = 'open,acknowledged,closed'

/** A kind of problem: the request types of all organisations that have the same title. */
export interface Kind {
  readonly title: string
  /** The language of the title. */
  readonly language: string
  readonly ids: readonly number[]
}

/** More titles are not legible in an option. */
const TITLES_MAX = 3

interface FilterForm {
  readonly query: MapQuery
  readonly kinds: readonly Kind[]
  readonly viewer: Viewer | null
  readonly texts: Texts
  readonly links: Links
}

/** The form sends a GET request; its script keeps the area in step with the map. */
export function filterForm({ query, kinds, viewer, texts, links }: FilterForm): SafeHtml {
  const selected = (query.status ?? DEFAULT_STATUS.split(',')).map((status) => status.toLowerCase())
  const area = Object.entries(areaParameters(query))
  const dayField = (name: 'after' | 'before', label: string) =>
    inputField({ name, label, type: 'date', value: query[name]?.slice(0, 10), isConditional: true, language: texts.language })
  return html`<form class="filters" id="filters" data-filters role="search" action="${links.to('/')}">
    ${area.map(([name, value]) => hiddenField(name, String(value)))}
    <details${hasFilters(query) ? html` open` : ''}>
      <summary>${texts('map.filters')}</summary>
      <div class="field">
        <label for="words">${texts('map.words')}</label>
        <input id="words" name="search" type="search" maxlength="200" value="${query.search ?? ''}" placeholder="${texts('place.searchExample')}">
      </div>
      <fieldset class="field choices-inline">
        <legend>${texts('map.status')}</legend>
        ${statuses.map(
          (status) =>
            html`<label class="choice"><input type="checkbox" name="status" value="${status.toLowerCase()}"${
              selected.includes(status.toLowerCase()) ? html` checked` : ''
            }><span class="status ${status.toLowerCase()}">${statusName(status, texts.language)}</span></label>`,
        )}
      </fieldset>
      ${kinds.length > 0 ? kindField(query, kinds, texts) : ''}
      <div class="pair">
        ${dayField('after', texts('map.from'))}
        ${dayField('before', texts('map.until'))}
      </div>
      ${viewer || query.assigned ? assigneeField(query, viewer, texts) : ''}
      <p class="buttons" id="filter-buttons" data-follows-map><button class="second">${texts('map.apply')}</button> <a href="${links.to('/', areaParameters(query))}">${texts('map.reset')}</a></p>
    </details>
  </form>`
}

function kindField(query: MapQuery, kinds: readonly Kind[], texts: Texts): SafeHtml {
  const titles = kinds.filter(({ ids }) => query.request_types?.some((id) => ids.includes(Number(id)))).map(({ title }) => title)
  return filterField({
    ...{ name: 'request_types', label: texts('map.kind'), texts, value: query.request_types?.join() ?? '' },
    choices: [
      { key: '', name: texts('map.everyKind') },
      ...kinds.map(({ title: name, language, ids }) => ({ key: ids.join(), name, language })),
    ],
    valueName: titles.slice(0, TITLES_MAX).join(', ') + (titles.length > TITLES_MAX ? ', …' : ''),
  })
}

function assigneeField({ assigned, assigned_to_me }: MapQuery, viewer: Viewer | null, texts: Texts): SafeHtml {
  return filterField({
    ...{ name: 'assigned', label: texts('map.assignee'), texts },
    value: assigned?.join() ?? (assigned_to_me && viewer ? String(viewer.id) : ''),
    choices: [
      { key: '', name: texts('map.anyAssignee') },
      { key: 'unassigned', name: texts('map.notAssigned') },
      ...(viewer ? [{ key: String(viewer.id), name: texts('map.assignedToMe') }] : []),
    ],
  })
}

interface FilterField extends Pick<SelectField, 'name' | 'label' | 'choices'> {
  readonly value: string
  /** The name of a value that is none of the choices, as a link may have. It stays when the form is sent. */
  readonly valueName?: string
  readonly texts: Texts
}

function filterField({ choices, valueName, texts, ...field }: FilterField): SafeHtml {
  const { value } = field
  const all = choices.some(({ key }) => key === value) ? choices : [...choices, { key: value, name: valueName || value }]
  return selectField({ ...field, choices: all, language: texts.language, hasDefault: true, isConditional: true })
}

export const hasFilters = ({ status, search, request_types, after, before, assigned, assigned_to_me }: MapQuery): boolean =>
  [search, request_types, after, before, assigned, assigned_to_me].some((value) => value !== undefined) ||
  (status !== undefined && status.join().toLowerCase() !== DEFAULT_STATUS)
