import type { FastifyReply, FastifyRequest } from 'fastify'

import type { FormValues } from '../../html/form-input.ts'
import { seeOther } from '../../html/redirects.ts'
import { releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { findDraft } from '../../reporting/drafts/draft-queries.ts'
import { saveDraft } from '../../reporting/drafts/save-draft.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH, draftReader, rememberDraft } from './drafts/draft-cookie.ts'
import { readProgress, type ReportProgress } from './report-input.ts'

/** The account comes last: the report of an anonymous visitor waits as a draft. */
export async function keepDraft(request: FastifyRequest, reply: FastifyReply, services: Services, body: FormValues) {
  const { db, urls } = services
  const secret = await services.drafts.count(request, () => saveDraft(services, body))
  await releaseIdempotencyKey(request, db)
  rememberDraft(reply, urls, secret)
  return seeOther(reply, urls, DRAFT_PATH)
}

/** Returns the values of the visitor's draft if it is of this place and type, or lacks one of them. */
export async function findDraftValues(
  request: FastifyRequest,
  { db, urls, clock }: Services,
  { point, requestType }: ReportProgress,
): Promise<FormValues> {
  const draft = await findDraft(db, draftReader(request, urls), clock())
  const drafted = draft && readProgress(draft.formValues)
  if (!drafted) return {}
  const isSamePoint = !drafted.point || (drafted.point.lat === point?.lat && drafted.point.lng === point.lng)
  const isSameType = drafted.requestType === undefined || drafted.requestType === requestType
  return isSamePoint && isSameType ? draft.formValues : {}
}
