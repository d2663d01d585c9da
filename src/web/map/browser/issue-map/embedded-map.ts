import type * as MapLibre from 'maplibre-gl'

import { linkAreas, showAreas } from '../area-layers.ts'
import { readConfig, type EmbeddedConfig } from '../config.ts'
import { createMap, hasWebGl } from '../create-map.ts'
import { followMoves } from '../follow-moves.ts'
import { type Change, createNews, followChanges } from '../changes.ts'
import { createHighlight, followPoints } from './follow-points.ts'
import { fadePoints, refreshIssues, showIssues, showListedIssues } from '../issue-layers.ts'
import { createIssueList, type IssueList } from '../issue-list.ts'
import { followAddress } from '../list-address.ts'
import { offerReports } from './offer-reports.ts'
import { createPinCard } from './pin-card.ts'
import { showOutline } from '../page-layers.ts'
import { setReportView } from '../report-links.ts'
import '../outbox.ts'

/* Puts a map over the drawn map of a page as soon as the drawn map is visible. Until the map is complete, the drawn one stays. */

let highlight: ReturnType<typeof createHighlight> | undefined
let showFiltered: (() => void) | undefined
let refresh: ((changes: readonly Change[]) => void) | undefined
let follow: (() => void) | undefined

async function showMap(frame: HTMLElement, list: IssueList | undefined): Promise<void> {
  const config = readConfig<EmbeddedConfig>(frame)
  await loadStylesheet(config.stylesheet)
  const container = document.createElement('div')
  container.className = 'embedded-map'
  frame.append(container)
  const showOwnIssues = (map: MapLibre.Map) => {
    const { tileJson } = readConfig<EmbeddedConfig>(frame)
    if (tileJson !== undefined) showIssues(map, `${location.origin}${tileJson}`)
    const label = frame.querySelector('svg')?.getAttribute('aria-label') ?? frame.querySelector('img')?.alt
    if (label) map.getCanvas().setAttribute('aria-label', label)
  }
  const { maplibre, map, wasMoved } = await createMap({
    container,
    config,
    bounds: config.bounds,
    padding: config.pin ? 0 : 16,
    isEmbedded: true,
    onStyle: (map) => {
      if (config.outline !== undefined) showOutline(map, config.outline)
      if (config.areas) showAreas(map, config.areas)
      if (config.listed) showListedIssues(map, config.listed)
      showOwnIssues(map)
      if (config.pin) fadePoints(map)
    },
  })
  showFiltered = () => showOwnIssues(map)
  refresh = (changes) => refreshIssues(map, changes)
  highlight = createHighlight(maplibre, map)
  if (config.pin) addPin(maplibre, map, frame, config.pin)
  if (config.areas) linkAreas(map)
  if (config.offer) offerReports(maplibre, map, container, config.offer)
  followMoves({ map, wasMoved }, () => setReportView(map))
  if (config.tileJson !== undefined || config.listed)
    followPoints(map, { config, card: createPinCard(maplibre, map, config), mark: (id) => list?.mark(id) })
  map.once('idle', () => (frame.dataset['state'] = 'ready'))
}

function loadStylesheet(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => reject(new Error('The style sheet could not be loaded.')))
    document.head.append(link)
  })
}

/** Puts the pin of the drawn map on the map. */
function addPin(
  maplibre: typeof MapLibre,
  map: MapLibre.Map,
  frame: HTMLElement,
  { lng, lat }: { lng: number; lat: number },
): void {
  const pin = frame.querySelector('svg .pin')?.cloneNode(true) as SVGGElement | undefined
  if (!pin) return
  pin.removeAttribute('transform')
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'map')
  svg.setAttribute('viewBox', '-20 -52 40 52')
  svg.append(pin)
  const element = document.createElement('div')
  element.className = 'issue-pin'
  element.append(svg)
  new maplibre.Marker({ element, anchor: 'bottom' }).setLngLat([lng, lat]).addTo(map)
  // The label of the map names the pin.
  for (const name of ['aria-label', 'role', 'tabindex']) element.removeAttribute(name)
  element.setAttribute('aria-hidden', 'true')
}

function whenVisible(element: HTMLElement, show: () => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    show()
  })
  observer.observe(element)
}

/** Shows changes on the map, and says that the page is no longer as it was loaded. Returns a function that follows the filters of the page. */
function followPage(frame: HTMLElement, list: IssueList | undefined): (() => void) | undefined {
  const { changes } = readConfig<EmbeddedConfig>(frame)
  if (!changes) return undefined
  const isNews = ({ id, kind }: Change) => (changes.issue === undefined ? kind === 'created' : id === changes.issue)
  const news = createNews(changes.texts, () => {
    news.clear()
    if (list) void list.load(new URL(location.href))
    else location.reload()
  })
  const select = followChanges((found) => {
    refresh?.(found)
    news.add(found.filter(isNews).map(({ id }) => id))
  })
  return () => {
    news.clear()
    select(readConfig<EmbeddedConfig>(frame).changes?.path ?? changes.path)
  }
}

function followList(frame: HTMLElement, section: HTMLElement): IssueList {
  const list = createIssueList(section, {
    onPoint: (issue) => highlight?.(issue),
    onLoad: (page) => {
      const next = page?.querySelector<HTMLElement>('[data-map]')
      if (!page || !next) return location.reload()
      address?.showParts(page)
      if (frame.dataset['map'] === next.dataset['map']) return
      frame.dataset['map'] = next.dataset['map']
      frame.querySelector('img')?.replaceWith(next.querySelector('img') ?? '')
      showFiltered?.()
      follow?.()
    },
  })
  // A list without an id is not replaced: its links load pages.
  const address = section.id === '' ? undefined : followAddress((link) => void list.load(new URL(location.href), link))
  return list
}

const frame = document.querySelector<HTMLElement>('[data-map]')
if (frame) {
  const section = document.querySelector<HTMLElement>('[data-issue-list]')
  const list = section ? followList(frame, section) : undefined
  follow = followPage(frame, list)
  follow?.()
  if (hasWebGl()) whenVisible(frame, () => void showMap(frame, list).catch(() => frame.querySelector('.embedded-map')?.remove()))
}
