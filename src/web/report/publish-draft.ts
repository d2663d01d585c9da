import type { FastifyRequest } from 'fastify'

import { Problem, problems } from '../../errors/problems.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { idempotent } from '../../http/idempotency/idempotent.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { answersWithPictures } from '../../reporting/drafts/draft-pictures.ts'
import { type Draft, leadToIssue, takeDraft } from '../../reporting/drafts/draft-queries.ts'
import { reportIssue, type ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { findReportedType } from './find-reported-type.ts'
import { readProgress, toReportBody } from './report-input.ts'

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
        const taken = await takeDraft(tx, draft)
        if (!taken) throw problems.notFound('the_draft')
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
