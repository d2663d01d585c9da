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
import { aboutChoices, frequencyChoices, formatDistance } from './watch-texts.ts'

const successTexts = {
  watched: 'You now watch this area.',
  saved: 'Saved.',
  renewed: 'The area has new links. The old ones no longer work.',
  removed: 'You no longer watch this area, and its links no longer work.',
} as const
export type SuccessKey = keyof typeof successTexts
export const isSuccessKey = (text: unknown): text is SuccessKey => typeof text === 'string' && Object.hasOwn(successTexts, text)

const MAP_WIDTH = 320

export interface WatchAreasPage {
  readonly rows: readonly OwnRow[]
  readonly done: SuccessKey | undefined
  readonly changed?: { readonly id: number; readonly values: FormValues; readonly errors: FieldErrors } | undefined
}

export function watchAreasPage(links: Links, { rows, done, changed }: WatchAreasPage): HtmlPage {
  return {
    title: 'Your watch areas',
    description: 'The areas that you watch, and how often you get mails about each.',
    body: html`<p class="trail"><a href="${links.to('/account')}">Your account</a></p>
      <h1>Your watch areas</h1>
      ${done ? html`<p class="done" role="status">${successTexts[done]}</p>` : ''}
      ${changed ? errorSummary(changed.errors, ['name', 'frequency', 'about']) : ''}
      ${rows.length === 0 ? emptyState(links) : rows.map((row) => areaSection(links, row, changed?.id === row.id ? changed : undefined))}`,
  }
}

const emptyState = ({ to }: Links) => html`<div class="narrow">
    <p>You do not watch any area yet. If you watch one, you get mails about it: at once, daily or weekly.</p>
    <p><a class="button primary" href="${to('/places')}">Choose a city to watch</a></p>
    <p class="quiet">Or open an issue near you and choose “Watch this area”.</p>
  </div>`

export function watchAreaTitle({ name, kind, place_name, radius_m }: OwnRow): string {
  if (name !== null) return name
  if (kind === 'place') return place_name ?? 'A place'
  return kind === 'circle' ? `${formatDistance(radius_m ?? 0)} around a point` : kind === 'box' ? 'A box on the map' : 'A polygon'
}

function areaSection({ to }: Links, row: OwnRow, changed: WatchAreasPage['changed']): SafeHtml {
  const title = watchAreaTitle(row)
  const { id, watcher_token } = row
  const value = (field: 'name' | 'frequency' | 'about') => (changed ? readText(changed.values, field) : (row[field] ?? ''))
  const errors = changed?.errors ?? {}
  // Several forms have fields of the same names, so their ids contain the id of the area.
  const actionButton = (path: string, text: string) =>
    html`<form method="post" action="${to(`/account/watch-areas/${id}/${path}`)}"><button class="second" aria-label="${text}: ${title}">${text}</button></form>`
  return html`<section class="two-columns watched" id="area-${id}" aria-labelledby="area-${id}-name">
    <figure class="frame">${areaMap(row, title)}<figcaption class="quiet">${kindText(row)}</figcaption></figure>
    <div>
      <h2 id="area-${id}-name">${title}</h2>
      <form method="post" action="${to(`/account/watch-areas/${id}`)}">
        ${inputField({ name: 'name', id: `name-${id}`, label: 'Name', value: value('name'), maxlength: 100, error: errors['name'] })}
        ${selectField({ name: 'frequency', id: `frequency-${id}`, label: 'Frequency of mails', choices: frequencyChoices, value: value('frequency'), hasDefault: true, required: true, error: errors['frequency'] })}
        ${selectField({ name: 'about', id: `about-${id}`, label: 'Content', choices: aboutChoices, value: value('about'), hasDefault: true, required: true, error: errors['about'] })}
        <p><button>Save</button></p>
      </form>
      <p class="quiet"><a href="${to('/feeds/issues.atom', { watcher_token })}">Feed</a> ·
        <a href="${to('/feeds/issues.geojson', { watcher_token })}">GeoJSON for a map</a> ·
        <a href="${to(`${apiPrefix}/issues`, { watcher_token })}">JSON</a>: anyone with one of these links can see the issues in the area.</p>
      <div class="rows"><span class="actions">${actionButton('token', 'Create new links')} ${actionButton('delete', 'Delete')}</span></div>
    </div>
  </section>`
}

const kindText = ({ kind, place_name, radius_m }: OwnRow): string => {
  switch (kind) {
    case 'place':
      return `All of ${place_name ?? 'a place'}`
    case 'circle':
      return `A circle of ${formatDistance(radius_m ?? 0)}`
    case 'box':
      return 'A box'
    case 'polygon':
      return 'A polygon'
  }
}

function areaMap(row: OwnRow, title: string): SafeHtml {
  const box = rowToBox(row)
  const shape = row.shape ?? (box && boxToShape(box))
  const middle = centre(rowToArea(row))
  return shape && middle ? shapeMap(shape, middle, { label: `Map of ${title}`, width: MAP_WIDTH }) : html``
}
