import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { Problem, problems, orNotFound } from '../../errors/problems.ts'
import { fileErrors, readText, validationErrorsFrom, toFormValues, type FormValues, formIdempotencyKey } from '../../html/form.ts'
import { createLinks, safeReturnPath, seeOther } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage, sendPage } from '../../html/page.ts'
import { countForm } from '../../http/auth/login.ts'
import { pageLanguage, pageTexts, preferredLocale } from '../../http/errors/text-language.ts'
import { addIdempotency, releaseIdempotencyKey, idempotent, storedResult } from '../../http/idempotency/idempotency.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { clientKey } from '../../http/request/client-address.ts'
import { text } from '../../locales/texts.ts'
import { findPlaceByUrlName, type PlaceRow } from '../../places/queries.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { type Draft, findDraft } from '../../reporting/drafts/draft-queries.ts'
import { saveDraftPictures } from '../../reporting/drafts/save-draft.ts'
import { cleanPictures } from '../../reporting/check-report.ts'
import { forCaller, parseOnBehalf } from '../../reporting/on-behalf.ts'
import { type FieldErrors, TOO_MANY_PICTURES, NewIssue } from '../../reporting/report-schema.ts'
import { reportIssue, type ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import type { WebServices } from '../map/page-maps.ts'
import { callerReportPath, isForCaller } from './caller-section.ts'
import { DRAFT_PATH, forgetDraft, rememberDraft } from './drafts/draft-cookie.ts'
import { alertNotice, draftLimitNotice, findNoticed } from './drafts/draft-notice.ts'
import { withRemainingPictures, remainingPictures } from './drafts/stored-pictures.ts'
import { findReportedType } from './find-reported-type.ts'
import {
  findDraftOfForm,
  findReplacedDraft,
  REPLACED_FIELD,
  requireDraftOfForm,
  keepDraft,
  publishDraft,
  publishedPath,
} from './keep-draft.ts'
import { createStepRenderer, type Step } from './render-step.ts'
import { hasFile, toReportBody, readProgress, type ReportProgress } from './report-input.ts'

/** The report form in three steps: point, request type, questions. Without a login, the report then becomes a draft. */
export const reportPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls } = services
  const { isInPlace, renderStep } = createStepRenderer(services)
  addIdempotency(app, services, formIdempotencyKey)

  const sendNextStep = async (request: FastifyRequest, reply: FastifyReply, place?: PlaceRow) => {
    const texts = pageTexts(request)
    const spot = readProgress(toFormValues(request.query))
    if (!spot.point || spot.requestType === undefined)
      return sendStep(request, reply, { place, spot, values: toFormValues(request.query), texts })
    if (place && !(await isInPlace(place, spot.point))) return sendStep(request, reply, { place, spot, values: {}, texts })
    const draft = await findDraftOfForm(request, services, spot)
    return sendStep(request, reply, { place, spot, values: toFormValues(request.query), draft, texts })
  }

  const createReport = async (request: FastifyRequest, reply: FastifyReply, place?: PlaceRow) => {
    const values = toFormValues(request.body)
    const texts = pageTexts(request)
    const spot = readProgress(values)
    const type = await findReportedType(db.reader, spot, texts.language)
    const body = toReportBody(values, type?.questions ?? [])
    const path = findPathAfterReport(request)
    if (path !== undefined) return seeOther(reply, urls, path)
    let draft: Draft | undefined
    try {
      draft = await requireDraftOfForm(request, services, { values, spot })
      const earlierStep = readText(values, 'leave')
      if (earlierStep !== '') {
        await releaseIdempotencyKey(request, db)
        await keepPictures(request, reply, services, { values, draft, isLeft: true })
        return reply.header('cache-control', 'private, no-store').redirect(safeReturnPath(earlierStep), 303)
      }
      const replaced = await findReplacedDraft(request, services, draft)
      if (replaced && readText(values, REPLACED_FIELD) !== String(replaced.id)) {
        await releaseIdempotencyKey(request, db)
        return await sendStep(request, reply.code(409), {
          place,
          spot,
          values,
          texts,
          notice: alertNotice(texts('draftNotice.notSent')),
        })
      }
      return await sendReport(request, reply, services, { body, draft })
    } catch (error) {
      const step = { place, spot, values, draft, texts }
      if (!request.viewer && error instanceof Problem && (error.status === 429 || error.status === 503)) {
        await releaseIdempotencyKey(request, db)
        const notice = draftLimitNotice(error, loginLink(place, spot), texts)
        return sendStep(request, reply.code(error.status).headers(error.headers), { ...step, notice })
      }
      if (error instanceof Problem && error.status === 404) {
        await releaseIdempotencyKey(request, db)
        return sendStep(request, reply.code(409), { ...step, draft: undefined, notice: alertNotice(texts('draft.isGone')) })
      }
      const errors = validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      const { imageErrors, ...stored } = await keepPictures(request, reply, services, { values, draft })
      return sendStep(request, reply.code(422), { ...step, ...stored, spot: { ...spot, errors: { ...imageErrors, ...errors } } })
    }
  }

  const routeOptions = {
    attachValidation: true,
    config: { files: ['answers[*]'], reportsTooManyFiles: true, reportsLargeFiles: true },
    // The rate limit is checked before the files of the form are read.
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => countForm(reply),
  } as const

  app.get('/report', async (request, reply) => sendNextStep(request, reply))
  app.post('/report', { ...routeOptions, schema: { body: NewIssue } }, async (request, reply) => createReport(request, reply))
  app.get('/places/:url_name/report', { schema: { params: PlacePageParams } }, async (request, reply) =>
    sendNextStep(request, reply, await requirePlace(request.params.url_name)),
  )
  app.post(
    '/places/:url_name/report',
    { ...routeOptions, schema: { params: PlacePageParams, body: NewIssue } },
    async (request, reply) => createReport(request, reply, await requirePlace(request.params.url_name)),
  )

  /** The login leads back to the same form. */
  function loginLink(place: PlaceRow | undefined, { point, requestType }: ReportProgress): string {
    const query = new URLSearchParams({ lat: String(point?.lat), lng: String(point?.lng), type: String(requestType) })
    return createLinks(urls).to('/login', { return_to: `${reportPath(place)}?${query.toString()}` })
  }

  async function requirePlace(urlName: string): Promise<PlaceRow> {
    return orNotFound(await findPlaceByUrlName(db.reader, urlName), 'the_place')
  }

  async function sendStep(request: FastifyRequest, reply: FastifyReply, step: Step) {
    const { place, texts } = step
    const path = reportPath(place)
    const { title, isFirst, body, ...scripts } = await renderStep(request, reply, { ...step, path })
    const page: HtmlPage = {
      title,
      description: place === undefined ? texts('report.description') : texts('report.descriptionIn', { place: place.name }),
      ...(isFirst ? { canonical: path } : {}),
      ...scripts,
      body,
    }
    return isFirst ? sendPage(request, reply, urls, page) : sendPrivatePage(request, reply, urls, page)
  }
}

const reportPath = (place: PlaceRow | undefined) => (place ? `/places/${place.url_name}/report` : '/report')

/** Returns the page after a form that an interrupted request has carried out before. */
function findPathAfterReport(request: FastifyRequest): string | undefined {
  const stored = storedResult<ReportResult>(request)
  if (!stored) return undefined
  if (!request.viewer) return DRAFT_PATH
  return isForCaller(toFormValues(request.body)) ? callerReportPath(stored.id) : publishedPath(stored)
}

/**
 * Publishes the report of a form, or keeps it as a draft until its author has logged in.
 * @param draft the draft that the form changes; publishing the report removes it
 * @throws Problem 422 or 503 as `reportIssue` does, 429 for too many drafts, 404 if another request has published or discarded the draft
 */
async function sendReport(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { body, draft }: { readonly body: FormValues; readonly draft: Draft | undefined },
) {
  const { db, urls } = services
  const { viewer } = request
  const errorsOfFiles = { ...fileErrors(request), ...(request.hasTooManyFiles ? TOO_MANY_PICTURES : {}) }
  if (Object.keys(errorsOfFiles).length > 0) throw problems.invalidErrors(errorsOfFiles)
  if (!viewer) return keepDraft(request, reply, services, { body, draft })
  const { person, errors } = parseOnBehalf(isForCaller(body) ? body : {})
  if (draft && !isForCaller(body)) {
    const changed = { ...withRemainingPictures(draft, body), formValues: body }
    const result = await publishDraft(request, services, changed, viewer)
    forgetDraft(reply, urls)
    return seeOther(reply, urls, publishedPath(result))
  }
  const result = await reportIssue(services, {
    ...{ source: 'web', body, inputErrors: errors, reporter: viewer, locale: preferredLocale(request), requestId: request.id },
    inTransaction: (work) => idempotent(request, db, work),
    ...(person && forCaller(person, { by: viewer, now: services.clock(), via: 'web', language: pageLanguage(request) })),
  }).catch((error: unknown) => {
    if (!person || !(error instanceof Problem) || error.status !== 403) throw error
    throw problems.invalidErrors({ 'on_behalf[channel]': [text('caller_of_others')] })
  })
  return seeOther(reply, urls, person ? callerReportPath(result.id) : publishedPath(result))
}

/**
 * Stores the valid pictures of a form with errors as those of a draft, because browsers do not fill in file fields again. Returns the draft and the values
 * without files if it stores them: the scripts of the form keep the files themselves, and another draft or a limit may be in the way.
 * @param draft the draft that the form changes
 */
async function keepPictures(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { values, draft, isLeft = false }: { readonly values: FormValues; readonly draft: Draft | undefined; readonly isLeft?: boolean },
): Promise<{ readonly draft?: Draft; readonly values?: FormValues; readonly imageErrors?: FieldErrors }> {
  const { db, urls, clock } = services
  const limit = draft ? services.draftChanges : services.drafts
  const input = { client: clientKey(request), body: values }
  const changed = draft && { ...draft, images: remainingPictures(draft, values) }
  let imageErrors: FieldErrors = {}
  try {
    const cleaned = await cleanPictures(db, values)
    imageErrors = cleaned.imageErrors
    const isKeptByPage = request.headers['x-requested-with'] !== undefined
    if (isKeptByPage || (draft ? draft.isClaimed : await findNoticed(request, services))) return { imageErrors }
    const secret = await saveDraftPictures(services, input, {
      draft: changed,
      images: cleaned.images,
      isLeft,
      count: (save) => limit.count(request, save),
    })
    if (secret === undefined) return { imageErrors }
    rememberDraft(reply, urls, secret)
    const stored = await findDraft(db, { secretHash: hashToken(secret), userId: undefined }, clock())
    const answers = Object.entries(toFormValues(values['answers'])).filter(([, answer]) => !hasFile(answer))
    return { imageErrors, ...(stored && { draft: stored, values: { ...values, answers: Object.fromEntries(answers) } }) }
  } catch (error) {
    if (error instanceof Problem) return { imageErrors }
    throw error
  }
}
