import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { findDuplicates } from '../../duplicates/queries.ts'
import { html } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { findLastModified } from '../../http/caching/last-modified.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { countCaller } from '../../http/auth/login.ts'
import { idempotent } from '../../http/idempotency/idempotent.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { problems } from '../../errors/problems.ts'
import { findPlaceByUrlName, placeChangeTimes, type PlaceRow } from '../../places/queries.ts'
import { requestTypeChangeTimes, listRequestTypesAt, listRequestTypesWithQuestions } from '../../request-types/queries.ts'
import { reportIssue } from '../../reporting/report-issue.ts'
import { NewIssue } from '../../reporting/report-schema.ts'
import { otherRequestTypeIn } from '../../request-types/other.ts'
import { findDraft } from '../../reporting/drafts/draft-queries.ts'
import { type DraftRequest, saveDraft } from '../../reporting/drafts/save-draft.ts'
import type { Services } from '../../services.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { validationErrorsFrom, translateErrors, type FormValues, toFormValues } from '../../html/form-input.ts'
import { createLinks } from '../../html/links.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { type HtmlPage, sendPrivatePage, sendPage } from '../../html/page.ts'
import { PlacePageParams } from '../places/place.ts'
import { draftReader, rememberDraft } from './draft-cookie.ts'
import { DRAFT_PATH } from './draft-page.ts'
import { draftTexts } from './draft-texts.ts'
import { findReportedType } from './find-reported-type.ts'
import { reportForm } from './report-form.ts'
import { toReportBody, type ReportProgress, readProgress } from './report-input.ts'
import { pointForm, requestTypeChoice, requestTypeList } from './report-steps.ts'
import { reportTexts } from './report-texts.ts'
import { seeOther } from '../../html/redirects.ts'

/** The report form in three steps: point, request type, questions. Without a login, the report then becomes a draft. */
export const reportPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, rateLimit, clock } = services
  const reader = { query: db.read }
  const links = createLinks(urls)
  addIdempotency(app, services, formIdempotencyKey)

  const sendNextStep = async (
    request: FastifyRequest,
    reply: FastifyReply,
    place?: PlaceRow,
    lastModified: string | null = null,
  ) => {
    const language = pageLanguage(request)
    const spot = readProgress(toFormValues(request.query))
    if (!spot.point || spot.requestType === undefined)
      return sendStep(request, reply, { place, spot, values: toFormValues(request.query), language, lastModified })
    return sendStep(request, reply, { place, spot, values: await findDraftValues(request, spot), language })
  }

  const createReport = async (request: FastifyRequest, reply: FastifyReply, place?: PlaceRow) => {
    const values = toFormValues(request.body)
    const language = pageLanguage(request)
    const spot = readProgress(values)
    const type = await findReportedType(reader, spot, language)
    const body = toReportBody(values, type?.questions ?? [])
    try {
      if (!request.viewer) return await keepDraft(request, reply, { formValues: values, body })
      const { id } = await reportIssue(services, {
        body,
        reporter: request.viewer,
        locale: preferredLocale(request),
        requestId: request.id,
        inTransaction: (work) => idempotent(request, db, work),
      })
      return seeOther(reply, urls, `/issues/${id}?reported=now`)
    } catch (error) {
      const errors = validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      return sendStep(request, reply.code(422), { place, spot: { ...spot, errors }, values, language })
    }
  }

  /** The account comes last: the report of an anonymous visitor waits as a draft. */
  const keepDraft = async (request: FastifyRequest, reply: FastifyReply, draft: DraftRequest) => {
    const secret = await services.drafts.count(request, () => saveDraft(services, draft))
    await releaseIdempotencyKey(request, db)
    rememberDraft(reply, urls, secret)
    return seeOther(reply, urls, DRAFT_PATH)
  }

  /** Returns the values of the visitor's draft if it is of this place and type. */
  const findDraftValues = async (request: FastifyRequest, { point, requestType }: ReportProgress): Promise<FormValues> => {
    const draft = await findDraft(db, draftReader(request, urls), clock())
    const drafted = draft && readProgress(draft.formValues)
    const isSame = drafted?.requestType === requestType && drafted?.point?.lat === point?.lat && drafted?.point?.lng === point?.lng
    return draft && isSame ? draft.formValues : {}
  }

  /** The rate limit is checked before the files of the form are read. */
  const countSender = async (_request: FastifyRequest, reply: FastifyReply) => countCaller(rateLimit, reply)
  const routeOptions = { attachValidation: true, config: { files: ['answers[*]'] }, onRequest: countSender } as const

  app.get('/report', async (request, reply) => sendNextStep(request, reply))
  app.post('/report', { ...routeOptions, schema: { body: NewIssue } }, async (request, reply) => createReport(request, reply))
  app.get('/places/:url_name/report', { schema: { params: PlacePageParams } }, async (request, reply) => {
    const lastModified = await findLastModified(db, [...placeChangeTimes, ...requestTypeChangeTimes], request.viewer)
    return sendNextStep(request, reply, await requirePlace(request.params.url_name), lastModified)
  })
  app.post(
    '/places/:url_name/report',
    { ...routeOptions, schema: { params: PlacePageParams, body: NewIssue } },
    async (request, reply) => createReport(request, reply, await requirePlace(request.params.url_name)),
  )

  async function requirePlace(urlName: string): Promise<PlaceRow> {
    const place = await findPlaceByUrlName(reader, urlName)
    if (!place) throw problems.notFound('the_place')
    return place
  }

  interface Step {
    readonly place: PlaceRow | undefined
    readonly spot: ReportProgress
    readonly values: FormValues
    readonly language: Language
    /** Set on the first step only, which shows no form values. */
    readonly lastModified?: string | null
  }

  async function sendStep(request: FastifyRequest, reply: FastifyReply, step: Step) {
    const { place, language } = step
    const texts = reportTexts[language]
    const path = place ? `/places/${place.url_name}/report` : '/report'
    const { title: stepTitle, body, isFirst } = await renderStep(request, path, step)
    const title = place ? texts.titleIn(stepTitle, place.name) : stepTitle
    const page: HtmlPage = {
      title,
      description: texts.description(place?.name),
      language,
      script: 'report.js',
      ...(isFirst ? { canonical: path } : {}),
      body: html`${
        place
          ? html`<p class="trail"><a href="${links.to('/places')}">${texts.places}</a> ›
                <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a></p>`
          : ''
      }
        <h1>${title}</h1>
        ${body}`,
    }
    return isFirst ? sendPage(request, reply, urls, page, step.lastModified) : sendPrivatePage(request, reply, urls, page)
  }

  async function renderStep(request: FastifyRequest, path: string, { place, spot, values, language }: Step) {
    const texts = reportTexts[language]
    const { point, requestType } = spot
    const errors = translateErrors(request, spot.errors)
    if (!point) {
      const body = html`<p>${texts.where}</p>
        ${pointForm(links.to(path), values, errors, language)}
        ${place ? await requestTypesSection(place, language) : ''}`
      return { title: texts.title, body, isFirst: Object.keys(errors).length === 0 }
    }
    const type = await findReportedType(reader, spot, language)
    if (!type) {
      const types = await listRequestTypesAt(reader, point)
      const unknown: FieldErrors = requestType === undefined ? {} : errors
      const body = html`<p>${texts.what(point.lat, point.lng)}</p>
        ${Object.keys(unknown).length > 0 ? html`<p class="field-error">${texts.typeIsGone}</p>` : ''}
        ${requestTypeChoice(path, point, types, links, language)}`
      return { title: texts.title, body, isFirst: false }
    }
    const reported = { point, requestTypeId: type.id ?? ('other' as const) }
    const duplicates = await findDuplicates(reader, reported, { viewer: request.viewer, now: clock(), language })
    const form = { action: links.to(path), formKey: newSecret(), point, type, duplicates, values, errors, language }
    const note = request.viewer ? '' : html`<p class="note">${draftTexts[language].accountComesLast}</p>`
    const body = html`<div class="narrow">${note}${reportForm(form, urls)}</div>`
    return { title: texts.titleOfType(type.title), body, isFirst: false }
  }

  async function requestTypesSection({ name, center_lng: lng, center_lat: lat }: PlaceRow, language: Language) {
    const texts = reportTexts[language]
    const rows = await listRequestTypesAt(reader, { lng, lat })
    const ids = rows.map(({ id }) => id)
    const types = [...(await listRequestTypesWithQuestions(reader, ids)), otherRequestTypeIn(language)]
    return html`<section>
      <h2>${texts.typesHere}</h2>
      <p>${texts.typesHereHint(name)}</p>
      ${requestTypeList(types, texts)}
      <p class="quiet">${texts.apiHint((text) => html`<a href="${links.to('/docs')}">${text}</a>`)}</p>
    </section>`
  }
}
