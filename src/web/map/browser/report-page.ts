import { type Bounds, type MapConfig, type MapControls, readConfig } from './config.ts'
import { hasWebGl } from './create-map.ts'
import type { Drawing } from './drawing.ts'
import { findDraftKey } from './device-store.ts'
import { createFailureMessage } from './failures/follow-failures.ts'
import { showPhotoPicker } from './photo-picker.ts'
import { createPointMap, type Point, type PointMap } from './point-map.ts'
import './service-worker.ts'
import './waiting-drafts.ts'

/* The first step of a report: the place, and pictures if one likes. */

interface ReportMapConfig extends MapControls {
  readonly tileJson: string
  readonly bounds: Bounds
  readonly drawing: Drawing
  /** The view that the user looked at before. */
  readonly start?: { readonly point: Point; readonly zoom: number }
  /** True if the point may be outside of the chosen place. */
  readonly isInPlace: boolean
  readonly failed: MapConfig['failed']
  readonly texts: {
    readonly click: string
    readonly move: string
    readonly zoomIn: string
    readonly chosen: string
    readonly chosenByCross: string
    readonly missing: string
  }
}

const DECIMALS = 6
const container = document.getElementById('map') as HTMLElement
const form = document.querySelector('form[data-point]') as HTMLFormElement
const status = document.querySelector('[data-point-status]') as HTMLElement
const config = readConfig<ReportMapConfig>(container)
const noscript = container.querySelector('noscript')
/** With scripts, its content is text. */
const drawnMap = noscript?.textContent ?? ''
noscript?.remove()
const field = (name: 'lat' | 'lng') => form.elements.namedItem(name) as HTMLInputElement
let map: PointMap | undefined

function setPoint(point: Point | undefined): void {
  field('lat').value = point?.lat.toFixed(DECIMALS) ?? ''
  field('lng').value = point?.lng.toFixed(DECIMALS) ?? ''
  const { texts } = config
  status.textContent = point ? (map?.isByCross ? texts.chosenByCross : texts.chosen) : texts.zoomIn
  form.toggleAttribute('data-chosen', point !== undefined)
  if (config.isInPlace && map) showOutsideNotice(form, point)
}

/** Moves the map to a point, or continues with it where there is no map. A map that is being loaded shows it then. */
function take(point: Point): void {
  if (map) {
    // On a phone the panel slides over the map.
    if (map.isByCross) scrollTo({ top: 0 })
    return map.choose(point)
  }
  setPoint(point)
  if (!isMapLoading) form.requestSubmit()
}

const filledPoint = (): Point | undefined => {
  const [lat, lng] = [field('lat').value, field('lng').value]
  return lat !== '' && lng !== '' ? { lat: Number(lat), lng: Number(lng) } : undefined
}

const isOnEarth = ({ lat, lng }: Point) => Math.abs(lat) <= 90 && Math.abs(lng) <= 180

async function showMap(): Promise<void> {
  const setFailed = createFailureMessage(config.failed)
  const onFailure = (hasFailed: boolean) => setFailed('map', hasFailed)
  map = await createPointMap(container, { config, start: config.start, onPoint: setPoint, onFailure })
  const filled = filledPoint()
  if (filled && isOnEarth(filled)) map.choose(filled)
  else status.textContent = map.isByCross ? config.texts.move : config.texts.click
  form.addEventListener('submit', (event) => {
    if (filledPoint()) return
    event.preventDefault()
    status.textContent = config.texts.missing
    if (map?.isByCross) map.approach()
    container.scrollIntoView({ block: 'nearest' })
  })
}

/** The drawn map is a form, which chooses the point without WebGL, too. */
function showDrawnMap(): void {
  container.replaceChildren(...new DOMParser().parseFromString(drawnMap, 'text/html').body.childNodes)
}

// Pictures and the position of the device do not wait for the map.
let isMapLoading = hasWebGl()
if (!isMapLoading) showDrawnMap()
else
  void showMap()
    .catch(showDrawnMap)
    .finally(() => (isMapLoading = false))
locateOnClick(document.querySelector('[data-locate]'), take)
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-lat]')) {
  link.addEventListener('click', (event) => {
    if (!map) return
    event.preventDefault()
    take({ lat: Number(link.dataset['lat']), lng: Number(link.dataset['lng']) })
  })
}
const photos = document.querySelector<HTMLElement>('[data-photos]')
if (photos) await showPhotoPicker(photos, { key: findDraftKey(), onPlace: take })

/* The position of the device, which is requested only when the button is pressed. */

const OPTIONS = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 }

/** Shows the button where the browser has positions. */
function locateOnClick(button: HTMLButtonElement | null, onPoint: (point: { lat: number; lng: number }) => void): void {
  const status = document.querySelector('[data-located]')
  if (!button || !status || !('geolocation' in navigator)) return
  button.hidden = false
  button.addEventListener('click', () => {
    button.disabled = true
    status.textContent = button.dataset['locating'] ?? ''
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        button.disabled = false
        status.textContent = ''
        onPoint({ lat: coords.latitude, lng: coords.longitude })
      },
      () => {
        button.disabled = false
        status.textContent = button.dataset['notLocated'] ?? ''
      },
      OPTIONS,
    )
  })
}

/* Says at once that a point is outside of the place of a report. The server decides it, with the exact boundary. */

const PAUSE_MS = 400
let timer: ReturnType<typeof setTimeout> | undefined
let loading: AbortController | undefined

/** Shows the notice of the next step, which says where the point is, or removes it. */
function showOutsideNotice(form: HTMLFormElement, point: { readonly lat: number; readonly lng: number } | undefined): void {
  clearTimeout(timer)
  loading?.abort()
  const notice = document.querySelector('[data-outside]') as HTMLElement
  notice.replaceChildren()
  if (!point) return
  const url = new URL(form.action)
  for (const name of ['lat', 'lng'] as const) url.searchParams.set(name, point[name].toFixed(6))
  const request = new AbortController()
  loading = request
  timer = setTimeout(() => void load(url, notice, request.signal), PAUSE_MS)
}

async function load(url: URL, notice: HTMLElement, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const outside = page.getElementById('outside')
    if (outside) notice.replaceChildren(outside)
  } catch {
    // The next step says it, too.
  }
}
