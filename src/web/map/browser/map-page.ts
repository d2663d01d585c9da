import type * as MapLibre from 'maplibre-gl'

import { createMap, followColourScheme, hasWebGl, loadMapLibre, showDrawing } from './base-map.ts'
import { readConfig, type MapConfig } from './config.ts'
import { createFailureMessage } from './failure-message.ts'
import { CLUSTERS, POINTS, showIssues } from './issue-layers.ts'
import { createIssueList } from './issue-list.ts'
import { withBox, withoutArea } from './view.ts'

/* Draws the map of a page and keeps the list, the filters and the address in step with it. */

const MOVE_PAUSE_MS = 250

async function showMap(container: HTMLElement, config: MapConfig): Promise<void> {
  const maplibre = await loadMapLibre()
  const map = createMap(maplibre, container, config)
  map.addControl(new maplibre.GeolocateControl({ positionOptions: { enableHighAccuracy: true } }), 'top-right')
  // MapLibre names the button only after it has asked for the permission.
  container
    .querySelector('.maplibregl-ctrl-geolocate')
    ?.setAttribute('aria-label', config.controlTexts['GeolocateControl.FindMyLocation'] ?? '')
  container.dataset['state'] = 'loading'

  const tileJson = (parameters: URLSearchParams) => {
    const query = withoutArea(parameters).toString()
    return `${location.origin}${config.tileJson}${query === '' ? '' : `?${query}`}`
  }
  let shown = ''
  const showFiltered = () => {
    const url = tileJson(new URL(location.href).searchParams)
    if (url !== shown) showIssues(map, url)
    shown = url
  }
  map.on('load', showFiltered)

  const setFailed = createFailureMessage(document.getElementById('map-failure'), config.failed)
  followErrors(map, (hasFailed) => setFailed('map', hasFailed))

  followReportLink(map)
  const highlight = createHighlight(maplibre, map)
  const section = document.getElementById('issues')
  const list = section && createIssueList(section, { onPoint: highlight, onLoad: (hasFailed) => setFailed('list', hasFailed) })
  const loadList = () => list?.load(new URL(location.href))

  // Fitting the first view is no move of the user.
  map.once('idle', () => {
    container.dataset['state'] = 'ready'
    followMoves(map, () => {
      const parameters = withBox(new URL(location.href).searchParams, map.getBounds())
      history.replaceState(null, '', `${location.pathname}?${parameters.toString()}`)
      void loadList()
    })
  })
  followFilters((parameters) => {
    const filters = withBox(parameters, map.getBounds())
    history.pushState(null, '', `${location.pathname}?${filters.toString()}`)
    showFiltered()
    void loadList()
  })
  addEventListener('popstate', () => location.reload())
  followPoints(map, config, (id) => list?.mark(id))
  followColourScheme(map, config, () => {
    shown = ''
    showFiltered()
  })
}

/** Calls back when a style, a source or a tile has failed, and when all of a later view were loaded. */
function followErrors(map: MapLibre.Map, onChange: (hasFailed: boolean) => void): void {
  let isFailing = false
  map.on('movestart', () => (isFailing = false))
  map.on('error', () => {
    isFailing = true
    onChange(true)
  })
  map.on('idle', () => onChange(isFailing))
}

/** Calls back once after a move of the user has ended. */
function followMoves(map: MapLibre.Map, onMove: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  map.on('moveend', () => {
    clearTimeout(timer)
    timer = setTimeout(onMove, MOVE_PAUSE_MS)
  })
}

/** A report starts with the view of the map. */
function followReportLink(map: MapLibre.Map): void {
  const link = document.querySelector<HTMLAnchorElement>('a[data-report]')
  if (!link) return
  map.on('moveend', () => {
    const { lat, lng } = map.getCenter().wrap()
    link.hash = [map.getZoom().toFixed(2), lat.toFixed(5), lng.toFixed(5)].join('/')
  })
}

function followFilters(onChange: (parameters: URLSearchParams) => void): void {
  const form = document.querySelector<HTMLFormElement>('form[data-filters]')
  if (!form) return
  const submit = (event: Event) => {
    event.preventDefault()
    const entries = [...new FormData(form)].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    )
    onChange(joinLists(entries))
  }
  form.addEventListener('submit', submit)
  form.addEventListener('change', submit)
}

/** Boxes with the same name are one list: `status=open,closed`. */
function joinLists(entries: readonly [string, string][]): URLSearchParams {
  const names = [...new Set(entries.map(([name]) => name))]
  return new URLSearchParams(
    names.map((name) => [name, entries.flatMap(([other, value]) => (other === name ? [value] : [])).join(',')]),
  )
}

function followPoints(map: MapLibre.Map, config: MapConfig, mark: (id: number | undefined) => void): void {
  const setCursor = (cursor: string) => (map.getCanvas().style.cursor = cursor)
  map.on('click', POINTS, ({ features }) => {
    const id = features?.[0]?.properties['id'] as number | undefined
    if (id !== undefined) location.href = config.issue.replace('{id}', String(id))
  })
  map.on('click', CLUSTERS, ({ features, lngLat }) => {
    const zoom = features?.[0]?.properties['cluster_zoom'] as number | undefined
    map.easeTo({ center: lngLat, zoom: zoom ?? map.getZoom() + 2 })
  })
  for (const layer of [POINTS, CLUSTERS]) {
    map.on('mousemove', layer, ({ features }) => {
      setCursor('pointer')
      mark(features?.[0]?.properties['id'] as number | undefined)
    })
    map.on('mouseleave', layer, () => {
      setCursor('')
      mark(undefined)
    })
  }
}

/** Returns a function that shows a ring around an issue of the list, also where the map has only its cluster. */
function createHighlight(maplibre: typeof MapLibre, map: MapLibre.Map) {
  const ring = document.createElement('div')
  ring.className = 'map-highlight'
  const marker = new maplibre.Marker({ element: ring })
  return (issue: { readonly lng: number; readonly lat: number } | undefined) => {
    if (issue) marker.setLngLat([issue.lng, issue.lat]).addTo(map)
    else marker.remove()
  }
}

const element = document.getElementById('map')
if (element) {
  const config = readConfig(element)
  if (hasWebGl()) await showMap(element, config).catch(() => showDrawing(element, config))
  else showDrawing(element, config)
}
