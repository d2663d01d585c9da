import type * as MapLibre from 'maplibre-gl'

import { showAreas, toFeatures } from '../area-layers.ts'
import { type MapConfig, readConfig } from '../config.ts'
import { createMap, hasWebGl, padAround } from '../create-map.ts'
import { coverWithDrawing, showDrawing } from '../drawing.ts'
import { createFailureMessage } from '../failures/follow-failures.ts'
import { followMoves } from '../follow-moves.ts'
import { refreshIssues, showIssues } from '../issue-layers.ts'
import { createIssueList } from '../issue-list.ts'
import { followAddress, isPlainClick } from '../list-address.ts'
import { showOutline } from '../page-layers.ts'
import { setReportView, viewOf } from '../report-links.ts'
import '../service-worker.ts'
import { boxIn, showsBox, withBox, withoutArea } from '../view.ts'
import { createNews } from '../changes.ts'
import { createHighlight, followPoints } from './follow-points.ts'
import { followView, growPin } from './live.ts'
import { offerReports } from './offer-reports.ts'
import { createPinCard } from './pin-card.ts'

/* The sheet with the list, which lies over the lower part of the map on a phone. */

/** Pixels of a drag that move the sheet; a shorter one is a click. */
const DRAG_MIN = 8

/** Lets the handle expand and collapse the sheet: by a click, by keyboard, and by dragging. */
function followSheet(panel: HTMLElement): void {
  const button = panel.querySelector<HTMLButtonElement>('[data-sheet]')
  const label = button?.firstElementChild
  if (!button || !label) return
  const texts = { true: button.dataset['collapse'] ?? '', false: label.textContent }
  const isExpanded = () => panel.hasAttribute('data-expanded')
  const expand = (expanded: boolean) => {
    panel.toggleAttribute('data-expanded', expanded)
    panel.style.removeProperty('height')
    button.setAttribute('aria-expanded', String(expanded))
    label.textContent = texts[`${expanded}`]
    if (!expanded) panel.scrollTop = 0
  }
  let drag: { readonly y: number; readonly height: number; moved: number } | undefined
  let hasDragged = false
  button.hidden = false
  button.addEventListener('pointerdown', ({ clientY, pointerId }) => {
    button.setPointerCapture(pointerId)
    drag = { y: clientY, height: panel.offsetHeight, moved: 0 }
    hasDragged = false
  })
  button.addEventListener('pointermove', ({ clientY }) => {
    if (!drag) return
    drag.moved = drag.y - clientY
    if (Math.abs(drag.moved) < DRAG_MIN && !hasDragged) return
    hasDragged = true
    panel.style.height = `${drag.height + drag.moved}px`
  })
  const end = () => {
    if (drag && hasDragged) expand(drag.moved > 0)
    drag = undefined
  }
  button.addEventListener('pointerup', end)
  button.addEventListener('pointercancel', end)
  button.addEventListener('click', () => {
    if (!hasDragged) expand(!isExpanded())
    hasDragged = false
  })
}

/* Draws the map of a page and keeps the list, the filters and the address in step with it. */

const MOVE_PAUSE_MS = 250
const PLACE_PADDING = 40

async function showMap(container: HTMLElement, config: MapConfig, uncover: () => void): Promise<void> {
  const tileJson = (parameters: URLSearchParams) => {
    const query = withoutArea(parameters).toString()
    return `${location.origin}${config.tileJson}${query === '' ? '' : `?${query}`}`
  }
  const setFailed = createFailureMessage(config.failed)
  let shown = ''
  const showFiltered = (map: MapLibre.Map) => {
    const url = tileJson(new URL(location.href).searchParams)
    if (url !== shown) showIssues(map, url)
    shown = url
  }
  const { maplibre, map, wasMoved } = await createMap({
    container,
    config,
    bounds: config.bounds,
    ...(config.view ? { view: config.view } : {}),
    padding: config.isView ? 0 : PLACE_PADDING,
    isEmbedded: false,
    onFailure: (hasFailed) => setFailed('map', hasFailed),
    onStyle: (map) => {
      shown = ''
      if (config.outline !== undefined) showOutline(map, config.outline)
      if (config.area) showAreas(map, toFeatures([config.area]))
      showFiltered(map)
    },
  })
  map.addControl(new maplibre.GeolocateControl({ positionOptions: { enableHighAccuracy: true } }), 'top-right')
  // MapLibre names the button only after it has asked for the permission.
  container
    .querySelector('.maplibregl-ctrl-geolocate')
    ?.setAttribute('aria-label', config.controlTexts['GeolocateControl.FindMyLocation'] ?? '')
  container.dataset['state'] = 'loading'

  showOwnHeld(maplibre, map)
  const highlight = createHighlight(maplibre, map)
  const section = document.getElementById('issues')
  let hasFailed = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const list =
    section &&
    createIssueList(section, {
      onPoint: highlight,
      onLoad: (page) => {
        hasFailed = page === undefined
        setFailed('list', hasFailed)
        if (page) address.showParts(page)
        setReportView(map)
      },
    })
  const loadList = (link?: Element) => {
    news.clear()
    void list?.load(new URL(location.href), link)
  }
  const news = createNews(config.changes.texts, () => loadList())
  const selectView = followView(maplibre, config.changes.path, (changes) => {
    refreshIssues(map, changes)
    const created = changes.filter(({ kind, issue }) => kind === 'created' && issue && map.getBounds().contains(issue))
    news.add(created.map(({ id }) => id))
    for (const { issue } of created) if (issue) growPin(maplibre, map, issue)
  })
  /** Moves the map to a view that the history leads to: a box, or the place of the page. */
  const showArea = () => {
    const { searchParams } = new URL(location.href)
    const [zoom = 0, lat = 0, lng = 0] = searchParams.get('view')?.split('/').map(Number) ?? []
    const box = boxIn(searchParams)
    clearTimeout(timer)
    if (searchParams.has('view')) map.jumpTo({ zoom, center: { lat, lng } }, { isHistory: true })
    else
      map.fitBounds(
        [...(box ?? config.bounds)],
        { animate: false, padding: padAround(box ? 0 : PLACE_PADDING) },
        { isHistory: true },
      )
  }
  const address = followAddress((link) => {
    showFiltered(map)
    showLegend(new URL(location.href).searchParams)
    loadList(link)
    selectView(new URL(location.href).searchParams, map.getBounds())
  }, showArea)
  const showBox = (isNew: boolean) => address.set(withBox(new URL(location.href).searchParams, map.getBounds()), isNew)

  /** Shows the view in the address. A place or a watch area stays the area of the list while the view overlaps it. */
  const showView = () => {
    const { searchParams } = new URL(location.href)
    const isInArea = !config.isView && ['place_url', 'watch_area'].some((name) => searchParams.has(name))
    if (isInArea && map.getBounds().intersects([...config.bounds])) {
      searchParams.set('view', viewOf(map))
      address.set(searchParams, false)
      if (!hasFailed) return
    } else showBox(isInArea)
    loadList()
  }
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('#map-area a')
    if (!link || !isPlainClick(event)) return
    event.preventDefault()
    showBox(true)
    loadList(link)
  })
  map.once('idle', () => {
    container.dataset['state'] = 'ready'
    uncover()
    selectView(new URL(location.href).searchParams, map.getBounds())
    // A shared device keeps nothing of a report for longer than a day, even if the report pages are not opened again.
    void import('../device-store.ts').then(({ deleteExpiredValues }) => deleteExpiredValues())
    // The list has the issues of the view, also in a window of another size than that in which the link was copied.
    if (config.isView && !showsBox(new URL(location.href).searchParams, map.getBounds())) showView()
  })
  followMoves({ map, wasMoved }, () => {
    setReportView(map)
    // One list for several moves that follow each other.
    clearTimeout(timer)
    timer = setTimeout(() => {
      showView()
      selectView(new URL(location.href).searchParams, map.getBounds())
    }, MOVE_PAUSE_MS)
  })
  offerReports(maplibre, map, container, config.offer)
  followPoints(map, { config, card: createPinCard(maplibre, map, config), mark: (id) => list?.mark(id) })
}

function showLegend(filters: URLSearchParams): void {
  const selected = filters.get('status')?.split(',')
  for (const entry of document.querySelectorAll<HTMLElement>('.map-legend [data-status]')) {
    const status = entry.dataset['status'] ?? ''
    entry.hidden = selected ? !selected.includes(status) : status === 'archived'
  }
}

followPlaceSearch(document.querySelector('#place-search [name=find]'))
const panel = document.getElementById('map-panel')
if (panel) followSheet(panel)
const element = document.getElementById('map')
if (element) {
  element.querySelector('noscript')?.remove()
  const config = readConfig<MapConfig>(element)
  const showDrawn = () => showDrawing(element, config.drawing)
  if (hasWebGl()) {
    const uncover = coverWithDrawing(element, config.drawing)
    await showMap(element, config, uncover).catch(() => {
      uncover()
      showDrawn()
    })
  } else showDrawn()
}

/** Sends the search for a place once a suggestion of the browser is chosen. */
function followPlaceSearch(input: HTMLInputElement | null): void {
  input?.addEventListener('input', (event) => {
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText'
    if (!isTyped && input.value !== '') input.form?.requestSubmit()
  })
}

/** Draws the reports of the user that wait for a review. The list of the page has their links, so pins are for pointers only. */
function showOwnHeld(maplibre: typeof MapLibre, map: MapLibre.Map): void {
  for (const entry of document.querySelectorAll<HTMLElement>('#own-held [data-issue]')) {
    const link = entry.querySelector('a')
    if (!link) continue
    const pin = Object.assign(document.createElement('a'), {
      href: link.href,
      className: 'map-held',
      title: link.textContent,
      tabIndex: -1,
    })
    const { lng, lat } = entry.dataset
    new maplibre.Marker({ element: pin }).setLngLat([Number(lng), Number(lat)]).addTo(map)
    // MapLibre sets a role, a name and a place in the order of the Tab key.
    pin.tabIndex = -1
    pin.setAttribute('aria-hidden', 'true')
  }
}
