import type { MultiPolygon } from 'geojson'

import { type Box, boxCentre, type Point } from '../../geo/shapes.ts'
import { type FieldErrors, hiddenField, type Choice } from '../../html/fields.ts'
import { type Form, type FormValues, readText } from '../../html/form.ts'
import { formatDistance } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import type { PlaceRow } from '../../places/queries.ts'
import { watchedAreaProperties } from '../../watch-areas/area-input.ts'
import { NAME_MAX, type About, watchTopics, type Frequency, frequencies } from '../../watch-areas/schema.ts'
import { placeNamesAmong } from '../cards/cards.ts'
import type { MapControls } from '../map/browser/config.ts'
import type { DrawConfig } from '../map/browser/watch-areas/tool.ts'
import { mapFailure } from '../map/page-maps.ts'
import { toBounds } from '../map/shapes.ts'
import { toChoices } from './describe-watch.ts'

const RADII_M = [50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 50_000]
/** A polygon of 10,000 positions with 15 digits is shorter. */
const GEOJSON_MAX = 500_000

type AreaValues = Readonly<Record<string, string>>

export interface AreaForm {
  /** Fields of the area, as `parseWatchedArea` takes them. */
  readonly area: AreaValues
  /** Description of the area; undefined without a valid one. */
  readonly what: string | undefined
  readonly centre: Point | undefined
  readonly shape: MultiPolygon | undefined
  /** The first view. */
  readonly box: Box | undefined
  /** The drawn map, for browsers without scripts or WebGL. */
  readonly drawing: SafeHtml
  readonly places: readonly PlaceRow[]
  readonly errors: FieldErrors
  readonly controls: MapControls
}

export const hiddenNames = ['place_url', 'min_lat', 'min_lng', 'max_lat', 'max_lng']

/** The map of a page, next to its panel. */
export function drawPage(form: AreaForm, panel: SafeHtml, links: Links, texts: Texts): SafeHtml {
  return html`<div class="map-page report-map draw-page">
    <div id="map" class="map-canvas" role="region" aria-label="${texts('draw.map')}" data-map="${JSON.stringify(toScriptConfig(form, links, texts))}">${form.drawing}</div>
    <div class="map-panel">${panel}</div>
  </div>`
}

function toScriptConfig({ controls, box, area, shape, centre }: AreaForm, links: Links, texts: Texts): DrawConfig {
  const isDrawn = area['place_url'] === undefined && area['min_lat'] === undefined
  const middle = centre ?? (box && boxCentre(box))
  return {
    ...controls,
    tileJson: links.to('/tiles/issues.json'),
    bounds: toBounds(box),
    ...(shape && !isDrawn ? { shape } : {}),
    radii: RADII_M.map((metres) => ({ metres, name: formatDistance(metres, texts, middle) })),
    forecast: links.to('/watch/forecast'),
    failed: { map: texts('map.failed.map'), list: texts('map.failed.list') },
    texts: texts.section('draw.script'),
  }
}

/** The tools of the map, which its script shows, and fields for numbers and GeoJSON. */
export function areaFields(areaForm: AreaForm, form: Form, links: Links, texts: Texts): SafeHtml {
  const { area, what, places } = areaForm
  const geojson = { hint: texts('draw.geojsonHint'), value: area['area'] ?? '', maxlength: GEOJSON_MAX, isConditional: true }
  const number = (name: 'lat' | 'lng' | 'radius', label: string) =>
    form.input(name, label, { inputmode: 'text', isConditional: true, value: area[name] ?? '' })
  const chosen =
    area['place_url'] === undefined ? texts('draw.chosenBox') : texts('draw.chosenPlace', { place: what ?? area['place_url'] })
  // A place or a box that is not valid is dropped, since no visible field has it.
  const isHidden = what !== undefined && hiddenNames.some((name) => area[name] !== undefined)
  return html`${mapFailure}
    <p class="point-status" role="status" data-draw-status>${isHidden ? chosen : texts(places.length > 0 ? 'draw.choose' : 'draw.enter')}</p>
    ${drawTools(texts)}
    ${places.length > 0 ? placeLinks(areaForm, texts, links) : ''}
    ${hiddenNames.map((name) => hiddenField(name, isHidden ? (area[name] ?? '') : ''))}
    <details open data-numbers>
      <summary>${texts('draw.more')}</summary>
      ${form.textarea('area', texts('draw.geojson'), geojson)}
      <div class="pair">
        ${number('lat', texts('draw.latitude'))}
        ${number('lng', texts('draw.longitude'))}
      </div>
      ${number('radius', `${texts('draw.radius')} (m)`)}
    </details>`
}

function placeLinks({ places, area }: AreaForm, texts: Texts, { to }: Links): SafeHtml {
  const nameOf = placeNamesAmong(places)
  const links = places.map(
    (place) =>
      html`<a href="${to('/watch', { place_url: place.url_name })}"${place.url_name === area['place_url'] ? html` aria-current="true"` : ''}>${nameOf(place)}</a>`,
  )
  return html`<p>${texts('draw.places')}</p>
    <nav class="choices" aria-label="${texts('draw.places')}">${links}<a href="${to('/places')}">${texts('draw.allPlaces')}</a></nav>`
}

const drawTools = (texts: Texts) => html`<div data-draw-tools hidden>
    <div class="buttons" role="group" aria-label="${texts('draw.tools')}">
      <button type="button" class="second" data-shape="polygon">${texts('draw.polygon')}</button>
      <button type="button" class="second" data-shape="circle">${texts('draw.circle')}</button>
      <button type="button" class="second" data-shape="view">${texts('draw.view')}</button>
    </div>
    <div class="buttons" data-tools-of="polygon">
      <button type="button" data-act="add">${texts('draw.addCorner')}</button>
      <button type="button" class="second" data-act="undo">${texts('draw.undo')}</button>
      <button type="button" class="second" data-act="close">${texts('draw.close')}</button>
      <button type="button" class="second" data-act="remove">${texts('draw.removeCorner')}</button>
      <button type="button" class="second" data-act="clear">${texts('draw.clear')}</button>
    </div>
    <div data-tools-of="circle" hidden>
      <p><button type="button" data-act="centre">${texts('draw.moveCentre')}</button></p>
      <div class="field"><label for="draw-radius">${texts('draw.radius')} <output for="draw-radius" data-radius></output></label><input type="range" id="draw-radius" min="0" step="1" value="4" max="${RADII_M.length - 1}"></div>
    </div>
    <div data-tools-of="view" hidden><p><button type="button" data-act="view">${texts('draw.watchView')}</button></p></div>
  </div>`

export type SettingsValues = Readonly<Record<'name' | 'frequency' | 'about', string>>

interface SettingsForm {
  readonly form: Form
  readonly values: SettingsValues
  /** The value is undefined without an area. */
  readonly forecast: string | undefined
  readonly texts: Texts
}

/** Frequency, content and name, the forecast, and the button that shows it. */
export function settingsFields({ form, values, forecast, texts }: SettingsForm): SafeHtml {
  const requiredSelect = (name: 'frequency' | 'about', label: string, choices: readonly Choice[]) =>
    form.select(name, label, { choices, value: values[name], hasDefault: true, required: true })
  return html`${requiredSelect('frequency', texts('watch.frequency'), toChoices(texts.section('watch.frequencies')))}
    ${requiredSelect('about', texts('watch.about'), toChoices(texts.section('watch.abouts')))}
    ${form.input('name', texts('watch.name'), { hint: texts('watch.nameHint'), value: values.name, maxlength: NAME_MAX })}
    <div role="status" data-forecast>${forecast === undefined ? '' : html`<p class="done" id="forecast">${forecast}</p>`}</div>`
}

/** Pages propose one mail a day; the default of the API is a mail for each event. */
export const DEFAULT_FREQUENCY = 'daily'

interface Settings {
  readonly name: string
  readonly frequency: Frequency
  readonly about: About
}

export function readSettings(values: FormValues): Settings {
  const [frequency, about] = [readText(values, 'frequency'), readText(values, 'about')]
  return {
    name: readText(values, 'name'),
    frequency: frequencies.find((one) => one === frequency) ?? DEFAULT_FREQUENCY,
    about: watchTopics.find((one) => one === about) ?? 'all',
  }
}

export const RADIUS_M = '500'

/** Reads the area of a form. A point without a radius is the centre of a circle. */
export function readArea(values: FormValues): Record<string, string> {
  const entries = Object.keys(watchedAreaProperties).map((name) => [name, readText(values, name).trim()] as const)
  const area = Object.fromEntries(entries.filter(([, value]) => value !== ''))
  const isPoint = area['lat'] !== undefined && area['lng'] !== undefined
  const { radius, ...others } = area
  // The form always sends its radius, which only a point needs.
  if (radius !== undefined && !isPoint && Object.keys(others).length > 0) return others
  return isPoint ? { radius: RADIUS_M, ...area } : area
}
