import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { DESCRIPTION_MAX } from '../../georeport/description.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { idempotent } from '../../http/idempotency/idempotent.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { readMailbox } from '../../http/schema/fields.ts'
import { requestReceipt } from '../../reporting/report-mail-queries.ts'
import { type ReportResult, reportIssue } from '../../reporting/report-issue.ts'
import { otherRequestType } from '../../request-types/other.ts'
import type { Services } from '../../services.ts'
import { requireKey } from '../credentials/write-credentials.ts'
import { type Body, type FieldLimits, readBody } from '../input/body.ts'
import { findJurisdiction } from '../input/jurisdiction.ts'
import { invalidParameter, isId, mustBe } from '../input/parameters.ts'
import { OTHER_CODE } from '../services/present.ts'
import { toFurtherAnswers } from './contact.ts'
import { withFieldNames } from './field-errors.ts'
import { findLocation } from './location.ts'
import { findMediaUrlError } from './media-url.ts'
import { addOrigins, readOrigins } from './origins.ts'
import { toReport } from './to-report.ts'
import { Id, nullable } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import { questionsColumn } from '../../request-types/queries.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'
import { QuestionRow } from '../../request-types/present.ts'

const ReportedService = Type.Object({
  organization_id: nullable(Id),
  guest_reports: Type.Boolean(),
  questions: Type.Array(QuestionRow),
})
type ReportedService = Omit<Static<typeof ReportedService>, 'questions'> & { readonly questions: readonly RequestTypeQuestion[] }

/** Returns undefined for an inactive request type, to which no reports are sent. */
async function findReportedService(db: Queryable, id: number): Promise<ReportedService | undefined> {
  const [service] = await db.query(sql.type(ReportedService)`
    SELECT rt.organization_id, coalesce(o.guest_reports, false) AS guest_reports, ${questionsColumn(sql`rt`)}
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ${id} AND rt.active`)
  return service
}

const NAME_MAX = 255
const limits: FieldLimits = {
  files: 'media',
  repeatable: ['media_url'],
  max: {
    ...{
      service_code: 20,
      lat: 40,
      long: 40,
      address_string: 500,
      address_id: NAME_MAX,
      description: DESCRIPTION_MAX,
      media_url: 2_000,
    },
    ...{ email: NAME_MAX, device_id: NAME_MAX, account_id: NAME_MAX, first_name: NAME_MAX, last_name: NAME_MAX, phone: NAME_MAX },
  },
}

/**
 * Creates a service request. Its e-mail address never attributes it to an account: without a key it is a guest's.
 * @throws Problem 404 for an unknown service, 403 for a guest where the organisation allows none, 409 for a report from here, 422 with errors by field
 */
export async function createReport(services: Services, request: FastifyRequest): Promise<ReportResult> {
  const { db, addresses, config } = services
  const body = readBody(request, limits)
  const { fields } = body
  const { code, service } = await findService(services, request, body)
  const reporter = service.guest_reports ? request.viewer : requireKey(request)
  const language = negotiateLanguage(request)
  const origins = await readOrigins(db, request, services.urls)
  const email = fields.get('email')
  const mailbox = email === undefined ? undefined : readMailbox(email)
  if (email !== undefined && mailbox === undefined) throw mustBe('email', text('email_address'))
  const mediaUrl = fields.get('media_url')
  const mediaUrlError = mediaUrl === undefined ? undefined : findMediaUrlError(mediaUrl, config.mediaUrlHosts)
  if (mediaUrlError) throw invalidParameter('media_url', mediaUrlError)
  const location = await findLocation(fields, addresses, language)
  const report = toReport(body, { code, questions: service.questions, location })
  const mayMail = mailbox !== undefined && (await countReceipt(services, request))
  return withFieldNames(() =>
    reportIssue(services, {
      source: 'open311',
      body: report,
      furtherAnswers: toFurtherAnswers(fields, language),
      reporter,
      locale: preferredLocale(request),
      requestId: request.id,
      inTransaction: (work) => idempotent(request, db, work),
      onReported: async (tx, { id }) => {
        await addOrigins(tx, id, origins)
        if (mayMail) await requestReceipt(tx, { issueId: id, email: mailbox, locale: language })
      },
    }),
  )
}

async function findService(
  { db }: Services,
  request: FastifyRequest,
  { fields }: Body,
): Promise<{ code: string; service: ReportedService }> {
  const reader = { query: db.read }
  const jurisdiction = await findJurisdiction(reader, request, fields)
  const code = fields.get('service_code')
  if (code === undefined) throw invalidParameter('service_code', text('is_blank'))
  const service = code === OTHER_CODE ? otherService : isId(code) ? await findReportedService(reader, Number(code)) : undefined
  if (!service || (jurisdiction && service.organization_id !== jurisdiction.id)) throw problems.notFound('the_service')
  return { code, service }
}

const otherService: ReportedService = { organization_id: null, guest_reports: false, questions: otherRequestType.questions }

/** Counts a mail for the client. Above the limit the report has no mail, because a mail is worth less than a report. */
async function countReceipt({ draftMails, log }: Services, request: FastifyRequest): Promise<boolean> {
  return draftMails
    .count(request, async () => true)
    .catch((error: unknown) => {
      log.info({ err: error }, 'a report has no confirmation mail')
      return false
    })
}
