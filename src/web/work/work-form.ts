import type { Language, Texts } from '../../locales/texts.ts'
import { hiddenField, inputField, selectField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import type { WorkKind, WorkPlace } from '../../organizations/work-queries.ts'
import { placeNamesAmong } from '../cards/place-names.ts'
import { type WorkTab, chosenStatuses, defaultStatuses, hasOneStatus, type WorkQuery, workSorts } from './work-query.ts'

interface WorkForm {
  readonly query: WorkQuery
  readonly tab: WorkTab
  readonly kinds: readonly WorkKind[]
  readonly places: readonly WorkPlace[]
  readonly texts: Texts
  readonly language: Language
}

export function workForm({ query, tab, kinds, places, texts, language }: WorkForm, { to }: Links): SafeHtml {
  const own = kinds.filter(({ is_own }) => is_own)
  const nameOf = placeNamesAmong(places)
  const statuses: readonly string[] = query.status ?? defaultStatuses
  const isFiltered = [query.search, query.request_types, query.place_url, query.sort, query.status].some(
    (value) => value !== undefined,
  )
  const status = (name: (typeof chosenStatuses)[number]) =>
    html`<label class="choice"><input type="checkbox" name="status" value="${name.toLowerCase()}"${
      statuses.includes(name.toLowerCase()) ? html` checked` : ''
    }><span class="status ${name.toLowerCase()}">${statusName(name, language)}</span></label>`
  return html`<form class="filters work-filters" action="${to('/work')}" aria-label="${texts('work.filters')}">
    ${hiddenField('tab', tab)}
    <details${isFiltered ? html` open` : ''}><summary>${texts('work.filters')}</summary>
    <div class="work-fields">
      ${inputField({ name: 'search', label: texts('map.words'), value: query.search, maxlength: 200, isConditional: true, language })}
      ${selectField({
        name: 'request_types',
        label: texts('work.kind'),
        value: query.request_types?.join() ?? '',
        choices: [
          { key: '', name: texts('work.everyKind') },
          ...own.map(({ title, language: own, ids }) => ({ key: ids.join(), name: title, language: own })),
        ],
        ...{ hasDefault: true, required: true, language },
      })}
      ${selectField({
        name: 'place_url',
        label: texts('work.place'),
        value: query.place_url ?? '',
        choices: [
          { key: '', name: texts('work.everywhere') },
          ...places.map((place) => ({ key: place.url_name, name: nameOf(place) })),
        ],
        ...{ hasDefault: true, required: true, language },
      })}
      ${selectField({
        name: 'sort',
        label: texts('work.order'),
        value: query.sort ?? 'oldest',
        choices: workSorts.map((sort) => ({ key: sort, name: texts(`work.sorts.${sort}`) })),
        ...{ hasDefault: true, required: true, language },
      })}
    </div>
    ${
      hasOneStatus(tab)
        ? ''
        : html`<fieldset class="field choices-inline"><legend>${texts('work.status')}</legend>${chosenStatuses.map(status)}</fieldset>`
    }
    <p class="buttons"><button class="second">${texts('work.apply')}</button> <a href="${to('/work', { tab })}">${texts('work.reset')}</a></p>
    </details>
  </form>`
}
