import { readConfig } from '../config.ts'
import { createMap, hasWebGl } from '../create-map.ts'
import { createFailureMessage } from '../failures/follow-failures.ts'
import { fadeIssues, showIssues } from '../issue-layers.ts'
import { createCross } from '../cross.ts'
import { hasArea, openAreaFields } from './area-fields.ts'
import { createCircleTool } from './circle-tool.ts'
import type { DrawConfig, DrawContext, Tool, Act } from './tool.ts'
import { createForecast } from './live-forecast.ts'
import { createPolygonTool } from './polygon-tool.ts'
import { createViewTool } from './view-tool.ts'

/* Draws a watch area on the map of a form. Its fields hold the area, so that it is the same with and without the map. */

async function showMap(container: HTMLElement, form: HTMLFormElement, config: DrawConfig): Promise<void> {
  const status = form.querySelector('[data-draw-status]') as HTMLElement
  const setFailed = createFailureMessage(config.failed)
  let tool: Tool | undefined
  const { maplibre, map } = await createMap({
    container,
    config,
    bounds: config.bounds,
    padding: 60,
    isEmbedded: false,
    onFailure: (hasFailed) => setFailed('map', hasFailed),
    onStyle: (map) => {
      showIssues(map, `${location.origin}${config.tileJson}`)
      fadeIssues(map)
      tool?.show()
    },
  })
  const isByCross = matchMedia('(pointer: coarse)').matches
  container.dataset['choice'] = isByCross ? 'cross' : 'click'
  container.append(createCross())

  const loadForecast = createForecast(form, {
    path: config.forecast,
    failed: config.texts.forecastFailed,
    hasArea: () => hasArea(fields.values),
  })
  const changed = () => {
    keepLoginLinks(form)
    loadForecast()
  }
  const fields = openAreaFields(form, changed)
  const context: DrawContext = {
    ...{ maplibre, map, form, config, fields, isByCross },
    say: (text) => (status.textContent = text),
  }
  const tools: Readonly<Record<ShapeName, Tool>> = {
    polygon: createPolygonTool(context),
    circle: createCircleTool(context),
    view: createViewTool(context),
  }
  const bar = createToolBar(form, (name) => {
    tool?.leave()
    // A chosen place is shown until a shape is chosen.
    tool = tools[name ?? 'view']
    tool.start()
  })
  map.on('click', ({ lngLat, point }) => tool?.click(lngLat, point))
  map.getCanvas().addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'Backspace') return
    event.preventDefault()
    if (event.key === 'Enter') tool?.click(map.getCenter(), map.project(map.getCenter()))
    else tool?.act('undo')
  })
  bar.onAct((name) => tool?.act(name))

  const { place_url, min_lat, lat } = fields.values
  if (place_url !== undefined) bar.select(undefined)
  else bar.select(min_lat !== undefined ? 'view' : lat === undefined ? 'polygon' : 'circle')
  map.once('idle', () => (container.dataset['state'] = 'ready'))
  form.addEventListener('change', ({ target }) => {
    if ((target as HTMLElement).closest('[data-numbers]')) tool?.start()
    changed()
  })
  const numbers = form.querySelector('[data-numbers]') as HTMLDetailsElement
  numbers.open = numbers.querySelector('[aria-invalid]') !== null
  for (const button of form.querySelectorAll<HTMLElement>('[data-show-forecast]')) button.hidden = true
  form.addEventListener('submit', (event) => {
    if (hasArea(fields.values)) return
    event.preventDefault()
    status.textContent = config.texts.missing
    status.scrollIntoView({ block: 'nearest' })
  })
}

const container = document.getElementById('map')
const form = document.querySelector<HTMLFormElement>('form[data-area-form]')
if (container && form && hasWebGl()) {
  const drawing = [...container.childNodes]
  await showMap(container, form, readConfig<DrawConfig>(container)).catch(() => container.replaceChildren(...drawing))
}

/** Longer paths are not returned to: `RETURN_PATH_MAX` in src/html/links.ts. */
const PATH_MAX = 2_000

/** Lets the login and the registration return to the area that was drawn. */
function keepLoginLinks(form: HTMLFormElement): void {
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const filled = new URLSearchParams(entries.filter(([, value]) => value !== ''))
  const path = `${new URL(form.action).pathname}?${filled.toString()}`
  for (const link of form.querySelectorAll<HTMLAnchorElement>('a[data-return]')) {
    const url = new URL(link.href)
    url.searchParams.set('return_to', path.length > PATH_MAX ? '/watch' : path)
    link.href = url.href
  }
}

type ShapeName = 'polygon' | 'circle' | 'view'

/** Shows the buttons of the form: those that choose a shape, and those of the chosen one. */
function createToolBar(form: HTMLFormElement, onShape: (name: ShapeName | undefined) => void) {
  const bar = form.querySelector('[data-draw-tools]') as HTMLElement
  const shapes = bar.querySelectorAll<HTMLButtonElement>('[data-shape]')
  const select = (name: ShapeName | undefined) => {
    bar.hidden = false
    for (const button of shapes) button.setAttribute('aria-pressed', String(button.dataset['shape'] === name))
    for (const group of bar.querySelectorAll<HTMLElement>('[data-tools-of]')) group.hidden = group.dataset['toolsOf'] !== name
    onShape(name)
  }
  for (const button of shapes) button.addEventListener('click', () => select(button.dataset['shape'] as ShapeName))
  return {
    select,
    onAct(call: (name: Act) => void): void {
      for (const button of bar.querySelectorAll<HTMLButtonElement>('[data-act]'))
        button.addEventListener('click', () => call(button.dataset['act'] as Act))
    },
  }
}
