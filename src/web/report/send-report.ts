import type { FastifyReply, FastifyRequest } from 'fastify'

import { text } from '../../locales/texts.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { type FormValues, toFormValues } from '../../html/form-input.ts'
import { seeOther } from '../../html/redirects.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { UPLOAD_BYTES_MAX } from '../../http/request/upload.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import { type FieldErrors, TOO_MANY_PICTURES } from '../../reporting/report-fields.ts'
import { forCaller, parseOnBehalf } from '../../reporting/on-behalf.ts'
import { reportIssue, type ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { callerReportPath, isForCaller } from './caller-section.ts'
import { DRAFT_PATH, forgetDraft } from './drafts/draft-cookie.ts'
import { withRemainingPictures } from './drafts/stored-pictures.ts'
import { keepDraft } from './keep-draft.ts'
import { publishDraft, publishedPath } from './publish-draft.ts'

/** Returns the page after a form that an interrupted request has carried out before. */
export function findPathAfterReport(request: FastifyRequest): string | undefined {
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
export async function sendReport(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { body, draft }: { readonly body: FormValues; readonly draft: Draft | undefined },
) {
  const { db, urls } = services
  const { viewer } = request
  const fileErrors = { ...toErrors(request.largeFiles), ...(request.hasTooManyFiles ? TOO_MANY_PICTURES : {}) }
  if (Object.keys(fileErrors).length > 0) throw problems.invalidErrors(fileErrors)
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

/** Returns the errors of files by the question that they answer. */
const toErrors = (files: FastifyRequest['largeFiles']): FieldErrors =>
  Object.fromEntries(
    [...Map.groupBy(files, ({ field }) => /\[([^\]]+)\]/.exec(field)?.[1] ?? field)].map(([question, group]) => [
      question,
      group.map(({ filename }) => text('named_file_too_large', { name: filename, size: UPLOAD_BYTES_MAX / 1024 / 1024 })),
    ]),
  )
