import { choicesField, hiddenField } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import type { PlaceRow } from '../../places/queries.ts'
import type { Kind } from '../map/filter-form.ts'
import { type Dataset, datasets, PLACE_WORDS_MAX, type DataQuery, type Selection } from './selection.ts'

interface DataForm {
  readonly query: DataQuery
  readonly dataset: Dataset
  readonly selection: Selection
  readonly placeName: string | undefined
  readonly kinds: readonly Kind[]
  readonly placeNames: readonly string[]
  /** Places with the words of the field `place`, if it does not name one of them. */
  readonly found: readonly PlaceRow[] | undefined
  readonly texts: Texts
  readonly links: Links
}

/** The form sends a GET request, so that each selection has an address. The box of a map stays until a place is entered. */
export function dataForm({ query, dataset, selection, placeName, kinds, placeNames, found, texts, links }: DataForm): SafeHtml {
  const { language } = texts
  const { area, filters } = selection
  const isBox = area['min_lng'] !== undefined
  const form = createForm(language, { values: { ...filters, place: query.place ?? placeName } })
  const status = selection.statuses.length < statuses.length ? selection.statuses.join() : undefined
  const kept = { data: query.data, ...filters, status }
  return html`<form class="data-form" action="${links.to('/data')}">
    ${choicesField({
      ...{ type: 'radio', name: 'data', label: texts('data.dataset'), values: [dataset], required: true, language },
      choices: datasets.map((key) => ({ key, name: texts(`data.datasets.${key}.choice`) })),
    })}
    ${isBox ? Object.entries(area).map(([name, value]) => hiddenField(name, value ?? '')) : ''}
    ${form.input('place', texts('data.place'), {
      hint: texts(isBox ? 'data.boxHint' : 'data.placeHint'),
      error: found ? texts(found.length === 0 ? 'data.noPlace' : 'data.severalPlaces') : undefined,
      ...{ suggestions: placeNames, maxlength: PLACE_WORDS_MAX, isConditional: true },
    })}
    ${found && found.length > 0 ? html`<ul>${found.map((place) => html`<li><a href="${links.to('/data', { ...kept, place_url: place.url_name })}">${placeTitle(place)}</a></li>`)}</ul>` : ''}
    ${isBox ? html`<p class="quiet">${richText(texts, 'data.everywhere', { link: (text) => html`<a href="${links.to('/data', kept)}">${text}</a>` })}</p>` : ''}
    <details${Object.values(filters).some((value) => value !== undefined) || status ? html` open` : ''}>
      <summary>${texts('data.filters')}</summary>
      ${choicesField({
        ...{
          type: 'checkbox',
          name: 'status',
          label: texts('map.status'),
          values: selection.statuses,
          isConditional: true,
          language,
        },
        choices: statuses.map((status) => ({ key: status.toLowerCase(), name: statusName(status, language) })),
      })}
      ${
        kinds.length === 0
          ? ''
          : form.select('request_types', texts('map.kind'), {
              choices: [
                { key: '', name: texts('map.everyKind') },
                ...kinds.map(({ title, ids }) => ({ key: ids.join(), name: title })),
              ],
              ...{ hasDefault: true, isConditional: true },
            })
      }
      ${form.input('search', texts('map.words'), { maxlength: 200, isConditional: true })}
      <div class="pair">
        ${form.input('after', texts('map.from'), { type: 'date', value: filters['after']?.slice(0, 10), isConditional: true })}
        ${form.input('before', texts('map.until'), { type: 'date', value: filters['before']?.slice(0, 10), isConditional: true })}
      </div>
    </details>
    <p><button>${texts('data.show')}</button></p>
  </form>`
}

/** County and state distinguish places of one name. */
export const placeTitle = ({ name, county, state }: PlaceRow): string =>
  [name, county === name ? null : county, state].filter(Boolean).join(', ')
