import { centre } from '../../geo/area.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { rowToBox, boxToShape } from '../../watch-areas/present.ts'
import { rowToArea } from '../../watch-areas/stored-area.ts'
import { errorSummary, type FieldErrors, inputField, selectField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { shapeMap } from './watch-map.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { formatDistance } from '../../html/local-format.ts'
import { toChoices } from './describe-watch.ts'
import { accountSection } from '../account/account-sections.ts'
import { accountSectionsTexts } from '../account/account-sections-texts.ts'
import { type SuccessKey, type WatchAreasTexts, watchAreasTexts } from './watch-areas-texts.ts'
import { watchTexts } from './watch-texts.ts'

const MAP_WIDTH = 320

export interface WatchAreasPage {
  readonly rows: readonly OwnRow[]
  readonly done: SuccessKey | undefined
  readonly changed?: { readonly id: number; readonly values: FormValues; readonly errors: FieldErrors } | undefined
}

/** Passed to every part of the page. */
interface Context {
  readonly links: Links
  readonly texts: WatchAreasTexts
  readonly language: Language
}

export function watchAreasPage(links: Links, { rows, done, changed }: WatchAreasPage, language: Language): HtmlPage {
  const texts = watchAreasTexts[language]
  const context = { links, texts, language }
  const content = html`${done ? html`<p class="done" role="status">${texts.done[done]}</p>` : ''}
    ${changed ? errorSummary(changed.errors, ['name', 'frequency', 'about'], language) : ''}
    ${rows.length === 0 ? emptyState(context) : rows.map((row) => areaSection(context, row, changed?.id === row.id ? changed : undefined))}`
  return {
    title: accountSectionsTexts[language].sections['watch-areas'],
    description: texts.description,
    language,
    body: accountSection('watch-areas', content, links, language),
  }
}

const emptyState = ({ links, texts }: Context) => html`<div class="empty">
    <h2>${texts.none}</h2>
    <p>${texts.empty}</p>
    <p><a class="button primary" href="${links.to('/places')}">${texts.chooseCity}</a></p>
    <p class="quiet">${texts.chooseIssue}</p>
  </div>`

function watchAreaTitle({ name, kind, place_name, ...row }: OwnRow, texts: WatchAreasTexts, language: Language): string {
  if (name !== null) return name
  switch (kind) {
    case 'place':
      return place_name ?? texts.place
    case 'circle':
      return watchTexts[language].aroundPoint(formatRadius(row, language))
    case 'box':
      return texts.box
    case 'polygon':
      return texts.polygon
  }
}

function areaSection({ links: { to }, texts, language }: Context, row: OwnRow, changed: WatchAreasPage['changed']): SafeHtml {
  const title = watchAreaTitle(row, texts, language)
  const { id, watcher_token } = row
  const { name, frequency, frequencies, about, abouts } = watchTexts[language]
  const value = (field: 'name' | 'frequency' | 'about') => (changed ? readText(changed.values, field) : (row[field] ?? ''))
  // Several forms have fields of the same names, so their ids contain the id of the area.
  const common = (field: 'name' | 'frequency' | 'about') =>
    ({ name: field, id: `${field}-${id}`, value: value(field), error: changed?.errors[field], language }) as const
  const select = { hasDefault: true, required: true } as const
  const actionButton = (path: string, text: string) =>
    html`<form method="post" action="${to(`/account/watch-areas/${id}/${path}`)}"><button class="second" aria-label="${texts.actionLabel(text, title)}">${text}</button></form>`
  return html`<section class="two-columns watched" id="area-${id}" aria-labelledby="area-${id}-name">
    <figure class="frame">${areaMap(row, texts.map(title))}<figcaption class="quiet">${kindText(row, texts, language)}</figcaption></figure>
    <div>
      <h2 id="area-${id}-name">${title}</h2>
      <form method="post" action="${to(`/account/watch-areas/${id}`)}">
        ${inputField({ ...common('name'), label: name, maxlength: 100 })}
        ${selectField({ ...common('frequency'), ...select, label: frequency, choices: toChoices(frequencies) })}
        ${selectField({ ...common('about'), ...select, label: about, choices: toChoices(abouts) })}
        <p><button>${texts.save}</button></p>
      </form>
      <p class="quiet"><a href="${to('/feeds/issues.atom', { watcher_token })}">${texts.feed}</a> ·
        <a href="${to('/feeds/issues.geojson', { watcher_token })}">${texts.geojson}</a> ·
        ${texts.linksHint(html`<a href="${to(`${apiPrefix}/issues`, { watcher_token })}">JSON</a>`)}</p>
      <div class="rows"><span class="actions">${actionButton('token', texts.renewLinks)} ${actionButton('delete', texts.delete)}</span></div>
    </div>
  </section>`
}

/** A table constraint guarantees the numbers of a circle. */
function formatRadius({ radius_m, lng, lat }: Pick<OwnRow, 'radius_m' | 'lng' | 'lat'>, language: Language): string {
  const centre = lng === null || lat === null ? undefined : { lng, lat }
  return formatDistance(radius_m ?? 0, language, centre)
}

function kindText({ kind, place_name, ...row }: OwnRow, { kinds }: WatchAreasTexts, language: Language): string {
  switch (kind) {
    case 'place':
      return place_name === null ? kinds.somePlace : kinds.place(place_name)
    case 'circle':
      return kinds.circle(formatRadius(row, language))
    case 'box':
      return kinds.box
    case 'polygon':
      return kinds.polygon
  }
}

function areaMap(row: OwnRow, label: string): SafeHtml {
  const box = rowToBox(row)
  const shape = row.shape ?? (box && boxToShape(box))
  const middle = centre(rowToArea(row))
  return shape && middle ? shapeMap(shape, middle, { label, width: MAP_WIDTH }) : html``
}
