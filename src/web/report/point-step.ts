import type { Box, Point } from '../../geo/shapes.ts'
import { errorSummary, hiddenFields, inputField } from '../../html/fields.ts'
import { readText, type FormState } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import type { PlaceRow } from '../../places/queries.ts'
import { fullPlaceName, placeNamesAmong } from '../cards/cards.ts'
import { ADDRESS_WORDS_MAX, type AddressResults, type SearchedAddress } from '../map/address-lookup.ts'
import type { MapControls } from '../map/browser/config.ts'
import { formatView, parseView } from '../map/drawn/drawn-view.ts'
import { mapFailure } from '../map/page-maps.ts'
import { toBounds } from '../map/shapes.ts'
import { drawnPointForm, type DrawnPoint } from './drawn-point/drawn-point.ts'
import { POINT_DRAWING_PATH } from './drawn-point/point-drawing.ts'
import { waitingDraftsSection, photoSection } from './report-form.ts'
import type { CarriedParameters } from './report-input.ts'

interface PointStep extends Required<FormState> {
  readonly path: string
  /** The words and the type of a report whose author returns to choose another point. */
  readonly carried: CarriedParameters
  readonly title: string
  readonly trail: SafeHtml | string
  readonly place: PlaceRow | undefined
  /** Places to choose from, if none is chosen. */
  readonly places: readonly PlaceRow[]
  /** Places with the searched name. */
  readonly named: readonly PlaceRow[]
  readonly box: Box | undefined
  readonly controls: MapControls
  /** Leads to a report that is not published yet. */
  readonly draft: SafeHtml | string
  /** The state of the drawn map. */
  readonly drawn: DrawnPoint
  /** Places that contain its point. */
  readonly placeNames: readonly string[]
  /** Says that the point on the drawn map is outside of the place. */
  readonly outside: SafeHtml | string
  /** The value is undefined if there are no addresses. */
  readonly address: SearchedAddress | undefined
  readonly emergency: SafeHtml
  /** A section with the request types of the place. */
  readonly types: SafeHtml | string
  readonly texts: Texts
  readonly links: Links
}

/** Step 1: the point. Without scripts or WebGL it is chosen on a drawn map, which a script shows where it cannot draw its own. */
export function pointStep(step: PointStep): SafeHtml {
  const {
    path,
    carried,
    title,
    trail,
    places,
    errors,
    drawn,
    draft,
    placeNames,
    outside,
    address,
    emergency,
    types,
    texts,
    links,
  } = step
  const nameOf = placeNamesAmong(places)
  const choices = html`<nav class="choices" aria-label="${texts('point.inPlace')}">${places.map(
    (one) => html`<a href="${links.to(`/places/${one.url_name}/report`, carried)}">${nameOf(one)}</a>`,
  )}</nav>`
  const isFar = isFarView(step)
  return html`<div class="map-page report-map">
    <div id="map" class="map-canvas" role="region" aria-label="${texts('point.map')}" data-map="${JSON.stringify(toScriptConfig(step))}">
      <noscript>${drawnPointForm({ path, carried, state: drawn, placeNames, texts, links })}</noscript>
    </div>
    <div class="map-panel">
      ${trail}
      <h1>${title}</h1>
      ${draft}
      ${carried.words ? html`<p>“${carried.words}”</p>` : ''}
      ${errorSummary(
        errors,
        [
          ['lat', texts('report.latitude')],
          ['lng', texts('report.longitude')],
        ],
        texts.language,
      )}
      <div class="point-flow">
        ${mapFailure}
        <p class="point-status" role="status" data-point-status>${isMissing(step) ? texts('point.script.missing') : isFar ? texts('point.far') : texts('report.where')}</p>
        <div role="status" data-outside>${outside}</div>
        ${waitingDraftsSection(texts)}
        <p><button class="second" type="button" data-locate data-locating="${texts('report.locating')}" data-not-located="${texts('report.notLocated')}" hidden>${texts('report.useLocation')}</button>
          <span role="status" data-located></span></p>
        ${address ? addressSearch(step, address, texts) : ''}
        ${isFar ? choices : ''}
        ${photoSection(texts, { isStart: true })}
        <form method="get" action="${links.to(path)}" id="point" data-point novalidate>${hiddenFields(carried)}${numberFields(step)}</form>
        <p class="point-continue"><button form="point">${texts('report.continue')}</button></p>
      </div>
      ${emergency}
      ${places.length > 0 && !isFar ? choices : ''}
      ${types}
    </div>
  </div>`
}

/** A view of a lower zoom shows no streets, so that the choice of a city comes first. */
const FAR_ZOOM = 7
const isFarView = ({ places, drawn }: PointStep) => places.length > 0 && drawn.view.zoom < FAR_ZOOM

/** Both fields were sent, and both are empty. */
const isMissing = ({ values }: PointStep) => values['lat'] === '' && values['lng'] === ''

function toScriptConfig(step: PointStep) {
  const { place, box, controls, values, drawn, texts, links } = step
  const far = texts('point.far')
  const view = parseView(readText(values, 'view'))
  return {
    ...controls,
    tileJson: links.to('/tiles/issues.json'),
    bounds: toBounds(box),
    drawing: {
      path: links.to(POINT_DRAWING_PATH, { view: formatView(drawn.view) }),
      text: texts('point.map'),
      loading: texts('map.loading'),
    },
    ...(view ? { start: { point: view.centre, zoom: view.zoom } } : {}),
    controlTexts: { ...controls.controlTexts, 'Marker.Title': texts('point.pin') },
    failed: { map: texts('map.failed.map'), list: texts('map.failed.list') },
    isInPlace: place !== undefined,
    texts: { ...texts.section('point.script'), ...(isFarView(step) ? { click: far, move: far, missing: far } : {}) },
  }
}

function addressSearch(
  { path, carried, drawn, named, links }: PointStep,
  { words, results }: NonNullable<PointStep['address']>,
  texts: Texts,
): SafeHtml {
  // On a phone, the results would lie below the screen: the fragment scrolls to them and moves the focus.
  return html`<form class="search" role="search" method="get" action="${links.to(path)}#addresses">
      ${hiddenFields({ ...carried, view: formatView(drawn.view) })}<label for="address">${texts('point.addressSearch')}</label>
      <div><input id="address" name="address" type="search" maxlength="${ADDRESS_WORDS_MAX}" value="${words}" required> <button class="second">${texts('point.search')}</button></div>
    </form>
    ${results === undefined ? '' : html`<div class="addresses" id="addresses" role="status" tabindex="-1">${named.map((one) => html`<p><a href="${links.to(`/places/${one.url_name}/report`, carried)}">${fullPlaceName(one)}</a></p>`)}${addressResults({ results, href: (point) => links.to(path, { ...point, ...carried }), texts })}</div>`}`
}

interface Results {
  readonly results: AddressResults
  readonly href: (point: Point) => string
  readonly texts: Texts
}

function addressResults({ results, href, texts }: Results): SafeHtml {
  if ('failure' in results) {
    const { failure } = results
    const message =
      failure === 'searchTooLong' ? texts('point.searchTooLong', { max: ADDRESS_WORDS_MAX }) : texts(`point.${failure}`)
    return html`<p class="field-error">${message}</p>`
  }
  if (results.found.length === 0) return html`<p>${texts('point.noResults')}</p>`
  return html`<h2>${texts('point.results')}</h2>
    <ul class="found">${results.found.map(
      ({ name, point: { lat, lng } }) =>
        html`<li><a href="${href({ lat, lng })}" data-lat="${lat}" data-lng="${lng}">${name}</a></li>`,
    )}</ul>`
}

/** The fields are in a closed section: the map is the usual way. A point on the drawn map fills them, so that each button continues. */
function numberFields({ values, errors, drawn: { pin, isPrecise }, texts }: PointStep): SafeHtml {
  const coordinate = (name: 'lat' | 'lng', label: string, hint: string) =>
    inputField({
      ...{ name, label, hint, language: texts.language },
      value: readText(values, name) || (pin && isPrecise ? String(pin[name]) : ''),
      inputmode: 'text',
      error: errors[name],
    })
  return html`<details${errors['lat'] || errors['lng'] ? html` open` : ''}>
    <summary>${texts('point.more')}</summary>
    <div class="pair">
      ${coordinate('lat', texts('report.latitude'), texts('report.latitudeHint'))}
      ${coordinate('lng', texts('report.longitude'), texts('report.longitudeHint'))}
    </div>
    <p class="quiet">${texts('report.coordinatesHint')}</p>
  </details>`
}

/** A city is the place that people name; otherwise the smallest one. */
export const findMainPlace = (places: readonly PlaceRow[]): PlaceRow | undefined =>
  places.find(({ place_type }) => place_type === 'City') ?? places[0]

/** Says that the point is outside of the chosen place, and where to report it. The script of the map shows the element `outside`. */
export function outsideStep(
  place: PlaceRow,
  { point, other, texts, links }: { point: Point; other: PlaceRow | undefined; texts: Texts; links: Links },
): SafeHtml {
  const { lat, lng } = point
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  return html`<div class="waiting" id="outside">
    <p><b>${texts('point.outside', { place: place.name })}</b>
      ${other ? richText(texts, 'point.isInOther', { place: other.name, link: link(links.to(`/places/${other.url_name}/report`, { lat, lng })) }) : ''}
      ${richText(texts, 'point.reportAnyway', { link: link(links.to('/report', { lat, lng })) })}
      ${richText(texts, 'point.chooseAgain', { place: place.name, link: link(links.to(`/places/${place.url_name}/report`)) })}</p>
  </div>`
}
