import type * as MapLibre from 'maplibre-gl'

import { linkAreas, showAreas } from '../area-layers.ts'
import { readConfig, type EmbeddedConfig } from '../config.ts'
import { createMap, hasWebGl } from '../create-map.ts'
import { followMoves } from '../follow-moves.ts'
import { createHighlight, followPoints } from './follow-points.ts'
import { fadePoints, showIssues, showListedIssues } from '../issue-layers.ts'
import { createIssueList } from '../issue-list.ts'
import { createPinCard } from './pin-card.ts'
import { showOutline } from '../page-layers.ts'
import { setReportView } from '../report-links.ts'

/* Puts a map over the drawn map of a page as soon as the drawn map is visible. Until the map is complete, the drawn one stays. */

async function showMap(frame: HTMLElement, config: EmbeddedConfig): Promise<void> {
  await loadStylesheet(config.stylesheet)
  const container = document.createElement('div')
  container.className = 'embedded-map'
  frame.append(container)
  const { maplibre, map } = await createMap({
    container,
    config,
    bounds: config.bounds,
    padding: config.pin ? 0 : 16,
    isEmbedded: true,
    onStyle: (map) => {
      if (config.outline !== undefined) showOutline(map, config.outline)
      if (config.areas) showAreas(map, config.areas)
      if (config.listed) showListedIssues(map, config.listed)
      if (config.tileJson !== undefined) showIssues(map, `${location.origin}${config.tileJson}`)
      if (config.pin) fadePoints(map)
    },
  })
  if (config.pin) addPin(maplibre, map, frame, config.pin)
  const section = document.querySelector<HTMLElement>('[data-issue-list]')
  let shown = location.search
  const list =
    section &&
    createIssueList(section, {
      onPoint: createHighlight(maplibre, map),
      onPage: (url) => {
        history.pushState(null, '', url)
        shown = url.search
      },
      onLoad: (page) => page ?? location.reload(),
    })
  addEventListener('popstate', () => {
    // A link to a part of the page does not change the list.
    if (location.search === shown) return
    shown = location.search
    void list?.load(new URL(location.href))
  })
  if (config.areas) linkAreas(map)
  followMoves(map, () => setReportView(map))
  if (config.tileJson !== undefined || config.listed)
    followPoints(map, { config, card: createPinCard(maplibre, map, config), mark: (id) => list?.mark(id) })
  const label = frame.querySelector('svg')?.getAttribute('aria-label') ?? frame.querySelector('img')?.alt
  if (label) map.getCanvas().setAttribute('aria-label', label)
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

const frame = document.querySelector<HTMLElement>('[data-map]')
if (frame && hasWebGl()) {
  whenVisible(frame, () => {
    showMap(frame, readConfig<EmbeddedConfig>(frame)).catch(() => frame.querySelector('.embedded-map')?.remove())
  })
}
