import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { findDuplicates } from '../../duplicates/queries.ts'
import type { Point } from '../../geo/shapes.ts'
import { inLanguage, langAttribute, type HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { formatDistance } from '../../html/format.ts'
import { type FormValues, readText, translateErrors } from '../../html/form.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { listMainPlaces, listPlaces, listPlacesContaining, type PlaceRow } from '../../places/queries.ts'
import { matchRequestTypes } from '../../request-types/match-words.ts'
import { otherRequestTypeIn, withOther } from '../../request-types/other.ts'
import { listRequestTypesAt, listRequestTypesWithQuestions } from '../../request-types/queries.ts'
import type { RequestType } from '../../request-types/schema.ts'
import type { WebServices } from '../map/page-maps.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import { createAddressLookup } from '../map/address-lookup.ts'
import { DRAFT_PATH } from './drafts/draft-cookie.ts'
import { draftNotice, draftNoticeSection } from './drafts/draft-notice.ts'
import { formatPin, viewToBox } from '../map/drawn/drawn-view.ts'
import {
  drawnPointForm,
  type DrawnPoint,
  isFromDrawnMap,
  leaveForm,
  readDrawnPoint,
  spotSection,
} from './drawn-point/drawn-point.ts'
import { mayReportForCaller } from './caller-section.ts'
import { duplicateSection } from './duplicate-section.ts'
import { findReportedType } from './find-reported-type.ts'
import { findReplacedDraft } from './keep-draft.ts'
import { findMainPlace, outsideStep, pointStep } from './point-step.ts'
import { reportForm, photoSection } from './report-form.ts'
import {
  answerValues,
  carriedParameters,
  readProblemWords,
  type ReportProgress,
  withSuggestions,
  emergencyNote,
  receiverNote,
  reportStep,
  requestTypeChoice,
  requestTypeList,
} from './report-input.ts'

export interface Step {
  readonly place: PlaceRow | undefined
  readonly spot: ReportProgress
  readonly values: FormValues
  /** The visitor's draft that the form shows and changes. */
  readonly draft?: Draft | undefined
  readonly texts: Texts
  /** Above a form that comes back for another reason than its errors. */
  readonly notice?: SafeHtml
}

type RenderedStep = Pick<HtmlPage, 'title' | 'body' | 'map' | 'formModule'> & { readonly isFirst: boolean }
type StepAt = Step & {
  readonly path: string
  readonly point: Point
  readonly count: SafeHtml
  /** The drawn map on which the point was just chosen, and can be corrected. */
  readonly drawn?: DrawnPoint
}

/** More places are not legible above the fold. */
const PLACES_MAX = 12
const PLACES_FOUND_MAX = 3

export function createStepRenderer(services: WebServices) {
  const { db, links, urls, clock, maps } = services
  const addresses = createAddressLookup(services)

  const isInPlace = async (place: PlaceRow, point: Point) =>
    (await listPlacesContaining(db.reader, point)).some(({ id }) => id === place.id)

  /** Another spot may have other types. */
  const isTypeAt = async (type: number, point: Point) => (await listRequestTypesAt(db.reader, point)).some(({ id }) => id === type)

  async function renderStep(request: FastifyRequest, reply: FastifyReply, step: Step & { readonly path: string }) {
    const { place, spot, texts } = step
    const { point } = spot
    if (!point) {
      const drawn = isFromDrawnMap(step.values) ? readDrawnPoint(step.values, undefined) : undefined
      // Without scripts, the types follow below the drawn map: one page less to load.
      if (drawn?.pin && drawn.isPrecise && spot.requestType === undefined && (!place || (await isInPlace(place, drawn.pin))))
        return renderTypes(request, reply, { ...step, point: drawn.pin, count: stepCount(request, 'type', texts), drawn })
      return renderPoint(request, reply, step)
    }
    const stepAt = { ...step, point, count: stepCount(request, 'type', texts) }
    if (request.method === 'GET' && place && !(await isInPlace(place, point))) return renderOutside(stepAt, place)
    const type = await findReportedType(db.reader, spot, texts.language)
    const isOffered = request.method !== 'GET' || !type || type.id === null || (await isTypeAt(type.id, point))
    if (!type || !isOffered) return renderTypes(request, reply, stepAt)
    return renderForm(request, reply, { ...stepAt, count: stepCount(request, 'details', texts) }, type)
  }

  async function renderPoint(
    request: FastifyRequest,
    reply: FastifyReply,
    { place, spot, values, texts, path }: Step & { readonly path: string },
  ): Promise<RenderedStep> {
    const errors = translateErrors(request, spot.errors)
    const [box, places, types] = await Promise.all([
      findPlaceBounds(db.reader, place?.id),
      place ? [] : listMainPlaces(db.reader, PLACES_MAX),
      place ? requestTypesSection(place, texts) : '',
    ])
    const drawn = readDrawnPoint(values, box)
    const near = values['view'] === undefined ? box : viewToBox(drawn.view)
    const words = readText(values, 'address').trim()
    const named = place || words === '' ? [] : (await listPlaces(db.reader, words, { page: 1, perPage: PLACES_FOUND_MAX })).places
    const address = await addresses.search(request, reply, { words, near, language: texts.language })
    const title = toTitle(texts('report.title'), { place, texts })
    const draft = await draftNotice(request, services, texts, { isReplaced: !request.viewer })
    const body = pointStep({
      path,
      carried: carriedParameters(values),
      title,
      trail: html`${trail(place, texts)}${stepCount(request, 'place', texts)}`,
      controls: maps.controls(texts.language),
      place,
      places,
      named,
      box,
      values,
      errors,
      draft,
      drawn,
      emergency: emergencyNote(services.config.emergencyNumber, texts),
      ...(await describePin(place, drawn, texts)),
      address,
      types,
      texts,
      links,
    })
    return {
      title,
      body,
      map: await maps.report(),
      isFirst: Object.keys(errors).length === 0 && address?.results === undefined && draft === '',
    }
  }

  /** Returns where the point of the drawn map is. The script of the map says at once if it is outside. */
  async function describePin(place: PlaceRow | undefined, { pin, isPrecise }: DrawnPoint, texts: Texts) {
    const containing = pin && isPrecise ? await listPlacesContaining(db.reader, pin) : []
    const placeNames = containing.map(({ name }) => name)
    if (!place || !pin || !isPrecise || containing.some(({ id }) => id === place.id)) return { placeNames, outside: '' }
    return {
      placeNames,
      outside: outsideStep(place, { point: pin, other: findMainPlace(containing), texts, links }),
    }
  }

  async function renderOutside(step: StepAt, place: PlaceRow): Promise<RenderedStep> {
    const { point, texts } = step
    const other = findMainPlace(await listPlacesContaining(db.reader, point))
    return toPage(texts('report.title'), step, outsideStep(place, { point, other, texts, links }))
  }

  async function renderTypes(request: FastifyRequest, reply: FastifyReply, step: StepAt): Promise<RenderedStep> {
    const { spot, point, values, texts, path } = step
    const words = readProblemWords(values)
    const [types, places] = await Promise.all([
      listRequestTypesAt(db.reader, point, texts.language),
      listPlacesContaining(db.reader, point),
    ])
    const ids = types.map(({ id }) => id)
    const matches = words === '' ? undefined : await matchRequestTypes(db.reader, ids, words)
    const isGone = spot.requestType !== undefined
    // The script of the map requests this page for every pin, to learn whether it is outside of the place.
    const isShown = request.headers['sec-fetch-dest'] !== 'empty'
    const address = isShown ? await addresses.reverse(request, reply, point, texts.language) : undefined
    // The drawn map, which a click scrolls, is wider than a column.
    const body = html`<div${step.drawn ? '' : html` class="report-step"`}>${await renderSpot(step, { places, address })}
      ${emergencyNote(services.config.emergencyNumber, texts)}
      <p>${texts('report.what')}</p>
      ${isGone ? html`<p class="field-error">${texts('report.typeIsGone')}</p>` : ''}
      ${photoSection(texts, { isStart: false })}
      ${requestTypeChoice({ path, point, types, words, from: carriedParameters(values).from, matches, texts, links })}</div>`
    return { ...toPage(texts('report.title'), step, body), formModule: maps.path('type-step.ts') }
  }

  async function renderForm(request: FastifyRequest, reply: FastifyReply, step: StepAt, type: RequestType): Promise<RenderedStep> {
    const { spot, point, texts, path } = step
    const { viewer } = request
    const words = readProblemWords(step.values)
    const isNew = request.method === 'GET'
    const address = isNew ? await addresses.reverse(request, reply, point, texts.language) : undefined
    const values = isNew ? { ...withSuggestions(type, { words, address }), ...step.draft?.formValues } : step.values
    const summaryQuestion = type.questions.find(({ primary_key }) => primary_key === 'summary')
    const summary = (summaryQuestion ? answerValues(values, summaryQuestion)[0] : undefined) || words
    const requestTypeId = type.id ?? ('other' as const)
    const now = clock()
    const alike = { point, requestTypeId, summary, onlyAlike: true }
    const writeDistance = (metres: number) => formatDistance(metres, texts, point)
    const duplicates = await findDuplicates(db.reader, alike, { viewer, now, language: texts.language, writeDistance })
    const section = duplicateSection({ duplicates, viewer, now, texts }, urls)
    const errors = translateErrors(request, spot.errors)
    const replaced = await findReplacedDraft(request, services, step.draft)
    const form = {
      action: links.to(path),
      formKey: newSecret(),
      point,
      type,
      duplicates: section,
      values,
      draft: step.draft,
      isLoggedIn: viewer !== null,
      mayReportForCaller: mayReportForCaller(viewer),
      replaced,
      errors,
      now,
      texts,
      links,
    }
    const places = await listPlacesContaining(db.reader, point)
    const types = links.to(path, { lat: point.lat, lng: point.lng, words: summary || undefined, from: formatPin(point) })
    const typeName = html`<b${langAttribute(type.language, texts.language)}>${type.title}</b>`
    const details = html`<p>${typeName} ${leaveForm(types, texts('spot.changeType'))}</p>${receiverNote(type, texts)}`
    const waiting = replaced ? draftNoticeSection(links.to(DRAFT_PATH), texts, { isReplaced: true }) : ''
    const page = toPage(
      texts('report.titleOfType', { type: type.title }),
      step,
      html`<div class="report-step">${await renderSpot(step, { places, address: readText(values, 'address'), details })}${emergencyNote(services.config.emergencyNumber, texts)}${waiting}${reportForm(form)}</div>`,
      headingOfType(type, step),
    )
    return { ...page, formModule: maps.path('report-form.ts') }
  }

  async function renderSpot(
    { path, point, drawn, values, texts }: StepAt,
    { places, address, details = '' }: { places: readonly PlaceRow[]; address: string | undefined; details?: SafeHtml | string },
  ) {
    const placeNames = places.map(({ name }) => name)
    const carried = carriedParameters(values)
    const isCovered =
      places.length > 0 ||
      (await listRequestTypesAt(db.reader, point, texts.language)).some(({ organization }) => organization !== null)
    const spot = drawn
      ? html`<div class="chosen-on-map" id="map">${drawnPointForm({ path, carried, hasNextStep: true, state: drawn, placeNames, texts, links })}</div>`
      : spotSection({ path, point, address, carried, details, placeNames, texts, links })
    return html`${spot}
      ${isCovered ? '' : html`<p class="note">${texts('report.outsideOfAll')}</p>`}`
  }

  function toPage(
    stepTitle: string,
    { place, texts, count, notice = html`` }: StepAt,
    body: SafeHtml,
    heading?: SafeHtml,
  ): RenderedStep {
    const title = toTitle(stepTitle, { place, texts })
    return {
      title,
      body: html`${trail(place, texts)}${count}<h1>${heading ?? title}</h1>${notice}${body}`,
      isFirst: false,
    }
  }

  /** The title of a type may be in another language than the page. */
  function headingOfType(type: RequestType, { place, texts }: Step): SafeHtml {
    const title = richText(texts, 'report.titleOfType', { type: inLanguage(type.title, type.language, texts.language) })
    return place ? richText(texts, 'report.titleIn', { title, place: place.name }) : title
  }

  const toTitle = (title: string, { place, texts }: Pick<Step, 'place' | 'texts'>) =>
    place ? texts('report.titleIn', { title, place: place.name }) : title

  /** Visitors who are not logged in send the report with an e-mail address in a third step. */
  const stepCount = ({ viewer }: FastifyRequest, name: 'place' | 'type' | 'details', texts: Texts) =>
    reportStep(name === 'place' ? 1 : 2, viewer ? 2 : 3, texts(`report.steps.${name}`), texts)

  const trail = (place: PlaceRow | undefined, texts: Texts) =>
    place
      ? html`<p class="trail"><a href="${links.to('/places')}">${texts('report.places')}</a> ›
          <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a></p>`
      : ''

  async function requestTypesSection({ name, center_lng: lng, center_lat: lat }: PlaceRow, texts: Texts) {
    const rows = await listRequestTypesAt(db.reader, { lng, lat }, texts.language)
    const ids = rows.map(({ id }) => id)
    const types = withOther(await listRequestTypesWithQuestions(db.reader, ids, texts.language), otherRequestTypeIn(texts.language))
    return html`<section>
      <h2>${texts('report.typesHere')}</h2>
      <p>${texts('report.typesHereHint', { place: name })}</p>
      ${requestTypeList(types, texts)}
    </section>`
  }

  return { isInPlace, renderStep }
}
