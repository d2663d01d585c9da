import type { Feature, FeatureCollection } from 'geojson'

import { boxCentre } from '../../geo/shapes.ts'
import type { Links } from '../../html/links.ts'
import { type HtmlPage, type PageMap, pageTitles } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import type { OwnRow } from '../../watch-areas/queries.ts'
import { accountSection } from '../account/account-sections.ts'
import { drawnMap } from '../map/drawing.ts'
import { type MapSources, readMapLayers } from '../map/drawn/map-layers.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'
import { boxAround } from '../map/drawn/drawn-view.ts'
import { embeddedMap, type PageMaps } from '../map/page-maps.ts'
import { describeKind, watchAreaTitle, toBounds, boxOf, ownBox, ownShape } from '../map/shapes.ts'

const successKeys = ['watched', 'saved', 'renewed', 'removed'] as const
export type SuccessKey = (typeof successKeys)[number]
export const isSuccessKey = (text: unknown): text is SuccessKey => successKeys.some((key) => key === text)

interface WatchAreasPage {
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
  readonly texts: Texts
}

export function watchAreasPage(links: Links, page: WatchAreasPage, texts: Texts): HtmlPage {
  const { rows, done, forecasts, overview, map } = page
  const context = { links, texts, language: texts.language }
  const content = html`${done ? html`<p class="done" role="status">${texts(`watchAreas.done.${done}`)}</p>` : ''}
    ${
      overview
        ? html`<p><a class="button primary" href="${links.to('/watch')}">${texts('watchAreas.add')}</a></p><div class="frame areas-map">${overview}</div>`
        : emptyState(context)
    }
    ${rows.map((row) => areaSection(context, row, forecasts.get(row.id)))}`
  return {
    ...pageTitles(texts, 'accountSections.sections.watch-areas', 'watchAreas.description'),
    ...(map ? { map } : {}),
    body: accountSection('watch-areas', content, links, texts),
  }
}

const emptyState = ({ links, texts }: Context) => html`<div class="empty">
    <h2>${texts('watchAreas.none')}</h2>
    <p>${texts('watchAreas.empty')}</p>
    <p><a class="button primary" href="${links.to('/watch')}">${texts('watchAreas.draw')}</a> <a class="button" href="${links.to('/places')}">${texts('watchAreas.chooseCity')}</a></p>
    <p class="quiet">${texts('watchAreas.chooseIssue')}</p>
  </div>`

function areaSection({ links: { to }, texts }: Context, row: OwnRow, forecast: string | undefined): SafeHtml {
  const title = watchAreaTitle(row, texts)
  const { id } = row
  const watchTexts = texts
  const path = `/account/watch-areas/${id}`
  const label = (action: string) => texts('watchAreas.actionLabel', { action, area: title })
  const actionForm = (action: string, text: string) =>
    html`<form method="post" action="${to(`${path}/${action}`)}"><button class="second" aria-label="${label(text)}">${text}</button></form>`
  return html`<section class="two-columns watched" id="area-${id}" aria-labelledby="area-${id}-name" tabindex="-1" data-area="${id}">
    <figure class="frame">${drawnMap({ path: to('/map/drawing.svg', { watch_area: id }), label: texts('watchAreas.map', { area: title }) })}${row.name === null ? '' : html`<figcaption class="quiet">${describeKind(row, texts)}</figcaption>`}</figure>
    <div>
      <h2 id="area-${id}-name"><a href="${to(path)}">${title}</a></h2>
      <p>${watchTexts(`watch.frequencies.${row.frequency}`)} · ${watchTexts(`watch.abouts.${row.about}`)}</p>
      ${forecast === undefined ? '' : html`<p class="quiet">${forecast}</p>`}
      <p><a href="${to('/', { watch_area: id })}" aria-label="${label(texts('watchAreas.showIssues'))}">${texts('watchAreas.showIssues')}</a></p>
      <div class="rows"><span class="actions"><a class="button second" href="${to(path)}" aria-label="${label(texts('watchAreas.edit'))}">${texts('watchAreas.edit')}</a>
        ${actionForm('addresses', texts('watchAreas.addresses'))} ${actionForm('delete', texts('watchAreas.delete'))}</span></div>
    </div>
  </section>`
}

/** A map of small areas shows their surroundings, so that one sees where they are. */
const ZOOM_MAX = 11

interface Overview {
  readonly rows: readonly OwnRow[]
  readonly maps: PageMaps
  readonly texts: Texts
}

/** Returns a map of all areas, whose polygons lead to the entries of the list; undefined without areas. */
export async function overviewMap(sources: MapSources, { rows, maps, texts }: Overview): Promise<SafeHtml | undefined> {
  const areas = rows.map((row) => ({
    id: row.id,
    label: watchAreaTitle(row, texts),
    shape: ownShape(row),
    middle: boxCentre(ownBox(row)),
  }))
  const box = boxOf(areas.map(({ shape }) => shape))
  if (!box) return undefined
  const view = boxAround(box, ZOOM_MAX)
  const drawing = mapSvg({
    label: texts('watchAreas.allAreas'),
    ...(await readMapLayers(sources, view)),
    areas: areas.map(({ id, label, shape, middle }) => ({ shape, link: { middle, href: `#area-${id}`, label } })),
  })
  const features = areas.flatMap(({ id, shape, middle }): Feature[] => [
    { type: 'Feature', id, geometry: shape, properties: {} },
    { type: 'Feature', id, geometry: { type: 'Point', coordinates: [middle.lng, middle.lat] }, properties: {} },
  ])
  return embeddedMap(drawing, {
    ...maps.controls(texts.language),
    bounds: toBounds(view),
    areas: { type: 'FeatureCollection', features } satisfies FeatureCollection,
  })
}
