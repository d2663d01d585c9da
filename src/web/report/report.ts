import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { textsIn } from '../../locales/texts.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { countCaller } from '../../http/auth/login.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { findPlaceByUrlName, type PlaceRow } from '../../places/queries.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import { NewIssue } from '../../reporting/report-schema.ts'
import type { WebServices } from '../map/page-maps.ts'
import { readText, validationErrorsFrom, toFormValues } from '../../html/form-input.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage, sendPage } from '../../html/page.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { draftGoneNotice, draftLimitNotice, draftReplacedNotice } from './drafts/draft-limit-notice.ts'
import { findDraftOfForm, findReplacedDraft, REPLACED_FIELD, requireDraftOfForm } from './keep-draft.ts'
import { keepPictures } from './keep-pictures.ts'
import { findReportedType } from './find-reported-type.ts'
import { createStepRenderer, type Step } from './render-step.ts'
import { toReportBody, readProgress, type ReportProgress } from './report-input.ts'
import { findPathAfterReport, sendReport } from './send-report.ts'
import { seeOther } from '../../html/redirects.ts'

/** The report form in three steps: point, request type, questions. Without a login, the report then becomes a draft. */
export const reportPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls } = services
  const reader = { query: db.read }
  const { isInPlace, renderStep } = createStepRenderer(services)
  addIdempotency(app, services, formIdempotencyKey)

  const sendNextStep = async (request: FastifyRequest, reply: FastifyReply, place?: PlaceRow) => {
    const language = pageLanguage(request)
    const spot = readProgress(toFormValues(request.query))
    if (!spot.point || spot.requestType === undefined)
      return sendStep(request, reply, { place, spot, values: toFormValues(request.query), language })
    if (place && !(await isInPlace(place, spot.point))) return sendStep(request, reply, { place, spot, values: {}, language })
    const draft = await findDraftOfForm(request, services, spot)
    return sendStep(request, reply, { place, spot, values: toFormValues(request.query), draft, language })
  }

  const createReport = async (request: FastifyRequest, reply: FastifyReply, place?: PlaceRow) => {
    const values = toFormValues(request.body)
    const language = pageLanguage(request)
    const spot = readProgress(values)
    const type = await findReportedType(reader, spot, language)
    const body = toReportBody(values, type?.questions ?? [])
    const path = findPathAfterReport(request)
    if (path !== undefined) return seeOther(reply, urls, path)
    let draft: Draft | undefined
    try {
      draft = await requireDraftOfForm(request, services, { values, spot })
      const replaced = await findReplacedDraft(request, services, draft)
      if (replaced && readText(values, REPLACED_FIELD) !== String(replaced.id)) {
        await releaseIdempotencyKey(request, db)
        return await sendStep(request, reply.code(409), { place, spot, values, language, notice: draftReplacedNotice(language) })
      }
      return await sendReport(request, reply, services, { body, draft })
    } catch (error) {
      const step = { place, spot, values, draft, language }
      if (!request.viewer && error instanceof Problem && (error.status === 429 || error.status === 503)) {
        await releaseIdempotencyKey(request, db)
        const notice = draftLimitNotice(error, loginLink(place, spot), language)
        return sendStep(request, reply.code(error.status).headers(error.headers), { ...step, notice })
      }
      if (error instanceof Problem && error.status === 404) {
        await releaseIdempotencyKey(request, db)
        return sendStep(request, reply.code(409), { ...step, draft: undefined, notice: draftGoneNotice(language) })
      }
      const errors = validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      const stored = await keepPictures(request, reply, services, { values, draft })
      return sendStep(request, reply.code(422), { ...step, ...stored, spot: { ...spot, errors } })
    }
  }

  /** The rate limit is checked before the files of the form are read. */
  const countSender = async (_request: FastifyRequest, reply: FastifyReply) => countCaller(reply)
  const routeOptions = {
    attachValidation: true,
    config: { files: ['answers[*]'], reportsTooManyFiles: true, reportsLargeFiles: true },
    onRequest: countSender,
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
    const place = await findPlaceByUrlName(reader, urlName)
    if (!place) throw problems.notFound('the_place')
    return place
  }

  async function sendStep(request: FastifyRequest, reply: FastifyReply, step: Step) {
    const { place, language } = step
    const texts = textsIn(language)
    const path = reportPath(place)
    const { title, isFirst, body, ...scripts } = await renderStep(request, reply, { ...step, path })
    const page: HtmlPage = {
      title,
      description: place === undefined ? texts('report.description') : texts('report.descriptionIn', { place: place.name }),
      language,
      ...(isFirst ? { canonical: path } : {}),
      ...scripts,
      body,
    }
    return isFirst ? sendPage(request, reply, urls, page) : sendPrivatePage(request, reply, urls, page)
  }
}

const reportPath = (place: PlaceRow | undefined) => (place ? `/places/${place.url_name}/report` : '/report')
