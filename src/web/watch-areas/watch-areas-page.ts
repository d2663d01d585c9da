import { html, type SafeHtml } from '../../html/template.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { accountSection } from '../account/account-sections.ts'
import { accountSectionsTexts } from '../account/account-sections-texts.ts'
import { drawnMap } from '../map/drawing.ts'
import { ownBox } from '../map/shapes.ts'
import { describeKind, watchAreaTitle } from '../map/area-title.ts'
import { type SuccessKey, type WatchAreasTexts, watchAreasTexts } from './watch-areas-texts.ts'
import { watchTexts } from './watch-texts.ts'

export interface WatchAreasPage {
  readonly rows: readonly OwnRow[]
  readonly done: SuccessKey | undefined
  /** Sentences by id. Areas whose forecast takes too long have none. */
  readonly forecasts: ReadonlyMap<number, string>
  /** The map of all areas; undefined without areas. */
  readonly overview: SafeHtml | undefined
  readonly map: PageMap | undefined
}

/** Every part of the page gets this. */
interface Context {
  readonly links: Links
  readonly texts: WatchAreasTexts
  readonly language: Language
}

export function watchAreasPage(links: Links, page: WatchAreasPage, language: Language): HtmlPage {
  const { rows, done, forecasts, overview, map } = page
  const texts = watchAreasTexts[language]
  const context = { links, texts, language }
  const content = html`${done ? html`<p class="done" role="status">${texts.done[done]}</p>` : ''}
    ${
      overview
        ? html`<p><a class="button primary" href="${links.to('/watch')}">${texts.add}</a></p><div class="frame areas-map">${overview}</div>`
        : emptyState(context)
    }
    ${rows.map((row) => areaSection(context, row, forecasts.get(row.id)))}`
  return {
    title: accountSectionsTexts[language].sections['watch-areas'],
    description: texts.description,
    language,
    ...(map ? { map } : {}),
    body: accountSection('watch-areas', content, links, language),
  }
}

const emptyState = ({ links, texts }: Context) => html`<div class="empty">
    <h2>${texts.none}</h2>
    <p>${texts.empty}</p>
    <p><a class="button primary" href="${links.to('/watch')}">${texts.draw}</a> <a class="button" href="${links.to('/places')}">${texts.chooseCity}</a></p>
    <p class="quiet">${texts.chooseIssue}</p>
  </div>`

function areaSection({ links: { to }, texts, language }: Context, row: OwnRow, forecast: string | undefined): SafeHtml {
  const title = watchAreaTitle(row, language)
  const { id } = row
  const { frequencies, abouts } = watchTexts[language]
  const path = `/account/watch-areas/${id}`
  const label = (action: string) => texts.actionLabel(action, title)
  const actionForm = (action: string, text: string) =>
    html`<form method="post" action="${to(`${path}/${action}`)}"><button class="second" aria-label="${label(text)}">${text}</button></form>`
  return html`<section class="two-columns watched" id="area-${id}" aria-labelledby="area-${id}-name" tabindex="-1" data-area="${id}">
    <figure class="frame">${drawnMap({ path: to('/map/drawing.svg', { watch_area: id }), label: texts.map(title), box: ownBox(row), isOwn: true })}<figcaption class="quiet">${describeKind(row, language)}</figcaption></figure>
    <div>
      <h2 id="area-${id}-name"><a href="${to(path)}">${title}</a></h2>
      <p>${frequencies[row.frequency]} · ${abouts[row.about]}</p>
      ${forecast === undefined ? '' : html`<p class="quiet">${forecast}</p>`}
      <p><a href="${to('/', { watch_area: id })}" aria-label="${label(texts.showIssues)}">${texts.showIssues}</a></p>
      <div class="rows"><span class="actions"><a class="button second" href="${to(path)}" aria-label="${label(texts.edit)}">${texts.edit}</a>
        ${actionForm('addresses', texts.addresses)} ${actionForm('delete', texts.delete)}</span></div>
    </div>
  </section>`
}
