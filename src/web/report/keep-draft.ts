import type { FastifyReply, FastifyRequest } from 'fastify'

import { problems, Problem, orNotFound } from '../../errors/problems.ts'
import { type FormValues, readFormKey, readText } from '../../html/form.ts'
import { seeOther } from '../../html/links.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { pageLanguage, preferredLocale } from '../../http/errors/text-language.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { releaseIdempotencyKey, idempotent } from '../../http/idempotency/idempotency.ts'
import { clientKey } from '../../http/request/client-address.ts'
import { answersWithPictures } from '../../reporting/drafts/draft-pictures.ts'
import { type Draft, findDraft, isIncomplete, leadToIssue, takeDraft } from '../../reporting/drafts/draft-queries.ts'
import { saveChangedDraft, saveDraft } from '../../reporting/drafts/save-draft.ts'
import { reportIssue, type ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH, draftReader, rememberDraft } from './drafts/draft-cookie.ts'
import { withRemainingPictures } from './drafts/stored-pictures.ts'
import { findReportedType } from './find-reported-type.ts'
import { readProgress, type ReportProgress, toReportBody } from './report-input.ts'

/** The field with the id of the draft that the form shows. */
export const DRAFT_FIELD = 'draft_id'

/** The field with the id of the draft that the form replaces, as it says. */
export const REPLACED_FIELD = 'replaced_draft_id'

/**
 * The account comes last: the report of an anonymous visitor waits as a draft.
 * @param draft the draft that the form changes
 */
export async function keepDraft(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { body, draft }: { readonly body: FormValues; readonly draft: Draft | undefined },
) {
  const { db, urls, clock } = services
  const input = { client: clientKey(request), body, secret: secretOfForm(request) }
  if (draft) {
    const change = { draft: withRemainingPictures(draft, body), ...input }
    const secret = await services.draftChanges.count(request, () =>
      saveChangedDraft(services, { ...change, inTransaction: (work) => idempotent(request, db, work) }),
    )
    rememberDraft(reply, urls, secret)
    return seeOther(reply, urls, DRAFT_PATH)
  }
  const secret = await services.drafts.count(request, async () =>
    saveDraft(services, input, await findDraft(db, draftReader(request, urls), clock())),
  )
  await releaseIdempotencyKey(request, db)
  rememberDraft(reply, urls, secret)
  return seeOther(reply, urls, DRAFT_PATH)
}

/** Returns the visitor's draft if it is of this place and type, or lacks one of them, or has pictures alone: then the form shows it. */
export async function findDraftOfForm(
  request: FastifyRequest,
  { db, urls, clock }: Services,
  { point, requestType }: ReportProgress,
): Promise<Draft | undefined> {
  const draft = await findDraft(db, draftReader(request, urls), clock())
  if (!draft) return undefined
  const drafted = readProgress(draft.formValues)
  const isSamePoint = !drafted.point || (drafted.point.lat === point?.lat && drafted.point.lng === point.lng)
  const isSameType = drafted.requestType === undefined || drafted.requestType === requestType
  return isIncomplete(draft) || (isSamePoint && isSameType) ? draft : undefined
}

/** Returns the draft that the report of this form replaces: that of an anonymous visitor, unless the form changes it. */
export async function findReplacedDraft(
  request: FastifyRequest,
  { db, urls, clock }: Services,
  changed: Draft | undefined,
): Promise<Draft | undefined> {
  return request.viewer || changed ? undefined : findDraft(db, draftReader(request, urls), clock())
}

/**
 * Returns the draft that a sent form showed. A form that was opened before the draft was saved is also of its place and type.
 * @throws Problem 404 if the form showed a draft that the visitor no longer reads
 */
export async function requireDraftOfForm(
  request: FastifyRequest,
  services: Services,
  { values, spot }: { readonly values: FormValues; readonly spot: ReportProgress },
): Promise<Draft | undefined> {
  const shown = readText(values, DRAFT_FIELD)
  if (shown === '') {
    const sent = await findSentDraft(request, services)
    const own = sent ?? (await findDraftOfForm(request, services, spot))
    // A form that was sent before has its files, too: the back button has shown it again, or its answer was lost with the cookie.
    return own && (sent || isIncomplete(own)) ? { ...own, images: [] } : own
  }
  const draft = await findDraft(services.db, draftReader(request, services.urls), services.clock())
  if (String(draft?.id) !== shown) throw problems.notFound('the_draft')
  return draft
}

async function findSentDraft(request: FastifyRequest, { db, clock }: Services): Promise<Draft | undefined> {
  const secret = secretOfForm(request)
  return secret === undefined ? undefined : findDraft(db, { secretHash: hashToken(secret), userId: undefined }, clock())
}

/** A new draft has a secret that follows from the key of its form, so that a form which is sent twice has one draft, also without its cookie. */
const secretOfForm = (request: FastifyRequest): string | undefined => {
  const key = readFormKey(request)
  return key === undefined ? undefined : hashToken(`draft ${key}`)
}

export const publishedPath = ({ id }: Pick<ReportResult, 'id'>) => `/issues/${id}?reported=now`

/**
 * Publishes a draft once, as a report of its account. Its secrets and links then lead to the issue.
 * @throws Problem 404 if another request has published or discarded it, 422 or 503 as `reportIssue` does
 */
export async function publishDraft(
  request: FastifyRequest,
  services: Services,
  draft: Draft,
  reporter: Pick<Viewer, 'id'>,
): Promise<ReportResult> {
  const { db, files, clock } = services
  const folder = await (request.uploadFolder ??= request.server.createUploadFolder(request))
  const values = { ...draft.formValues, answers: await answersWithPictures(draft, { files, folder }) }
  const type = await findReportedType(db.reader, readProgress(values), pageLanguage(request))
  return reportIssue(services, {
    source: 'web',
    body: toReportBody(values, type?.questions ?? []),
    reporter,
    locale: preferredLocale(request),
    requestId: request.id,
    inTransaction: (work) =>
      idempotent(request, db, async (tx) => {
        const taken = orNotFound(await takeDraft(tx, draft), 'the_draft')
        const result = await work(tx)
        await leadToIssue(tx, taken, { issue_id: result.id, now: clock() })
        return result
      }),
  })
}

/** Returns undefined if the draft cannot be published as it is. It then stays, and its page says why. */
export async function publishValidDraft(...input: Parameters<typeof publishDraft>): Promise<ReportResult | undefined> {
  try {
    return await publishDraft(...input)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
