import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { storedResult, idempotent } from '../../http/idempotency/idempotency.ts'
import { type ReportResult, reportIssue, type FurtherAnswer } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { writeConfig, requireKey } from '../credentials/write-credentials.ts'
import { suffixes, sendWritten } from '../formats/send.ts'
import { roots, findJurisdiction } from '../input/jurisdiction.ts'
import { createReportTokens } from '../tokens/routes.ts'
import { text, type Language, textsIn } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { DESCRIPTION_MAX, listLinks, VIA } from '../../georeport/geo-report.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import { preferredLocale } from '../../http/errors/text-language.ts'
import { readMailbox } from '../../http/schema/mailbox.ts'
import { requestReceipt } from '../../reporting/report-queries.ts'
import { otherRequestType } from '../../request-types/other.ts'
import { type Body, type FieldLimits, readBody, invalidParameter, isId, mustBe, type Parameters } from '../input/body.ts'
import { OTHER_CODE } from '../services/routes.ts'
import { withFieldNames, findLocation, findMediaUrlError, toReport } from './to-report.ts'
import { Id, nullable, type Queryable, sql, type PrismaHandle, type Transaction } from '../../database/database.ts'
import { QuestionRow, questionsColumn } from '../../request-types/queries.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Urls } from '../../http/request/urls.ts'

const options = { config: { ...writeConfig, files: ['media', 'media[]', 'media[*]', 'attribute[*]'] } }

/** POST requests: a new service request, or the token of one that waits for approval. */
export function addReportRoutes(app: FastifyInstance, services: Services): void {
  const tokens = createReportTokens(services.db)

  for (const root of roots) {
    for (const suffix of suffixes) {
      app.post(`${root}/requests${suffix}`, options, async (request, reply) => {
        const { id, isHeld } = storedResult<ReportResult>(request) ?? (await createReport(services, request))
        if (isHeld) {
          const value = [{ token: await tokens.create(id), service_notice: null, account_id: null }]
          return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
        }
        void reply.header('location', services.urls.at(`/open311/v2/requests/${id}${suffix}`))
        const value = [{ service_request_id: String(id), service_notice: null, account_id: null }]
        return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
      })
    }
  }
}

const ReportedService = Type.Object({
  organization_id: nullable(Id),
  guest_reports: Type.Boolean(),
  questions: Type.Array(QuestionRow),
})
type ReportedService = Omit<Static<typeof ReportedService>, 'questions'> & { readonly questions: readonly RequestTypeQuestion[] }

/** Returns undefined for an inactive request type, to which no reports are sent. */
const findReportedService = (db: Queryable, id: number): Promise<ReportedService | undefined> =>
  db.query(sql.first(ReportedService)`
    SELECT rt.organization_id, coalesce(o.guest_reports, false) AS guest_reports, ${questionsColumn(sql`rt`)}
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ${id} AND rt.active`)

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
async function createReport(services: Services, request: FastifyRequest): Promise<ReportResult> {
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
  const jurisdiction = await findJurisdiction(db.reader, request, fields)
  const code = fields.get('service_code')
  if (code === undefined) throw invalidParameter('service_code', text('is_blank'))
  const service = code === OTHER_CODE ? otherService : isId(code) ? await findReportedService(db.reader, Number(code)) : undefined
  if (!service || (jurisdiction && service.organization_id !== jurisdiction.id)) throw problems.notFound('the_service')
  return { code, service }
}

const otherService: ReportedService = { organization_id: null, guest_reports: false, questions: otherRequestType.questions }

/** Counts a mail for the client. Above the limit the report has no mail, because a mail is worth less than a report. */
async function countReceipt({ receipts, log }: Services, request: FastifyRequest): Promise<boolean> {
  return receipts
    .count(request, async () => true)
    .catch((error: unknown) => {
      log.info({ err: error }, 'a report has no confirmation mail')
      return false
    })
}

type Name = 'first_name' | 'last_name' | 'email' | 'phone' | 'account_id' | 'address_id' | 'media_url'

/** The fields that contain personal data. */
const contactNames = ['first_name', 'last_name', 'email', 'phone', 'account_id'] as const satisfies readonly Name[]

/**
 * Returns the fields of a report that no question asks for as answers: contact data and the address id for the staff of the organisation only,
 * the link to a picture for everyone.
 */
function toFurtherAnswers(fields: Parameters, language: Language): FurtherAnswer[] {
  const answer = (name: Name, kind: Pick<FurtherAnswer, 'answer_kept_private' | 'is_contact'>) => {
    const value = fields.get(name)
    return value === undefined ? [] : [{ question: textsIn(language)(`contactFields.${name}`), answer: value, ...kind }]
  }
  const mediaUrl = answer('media_url', { answer_kept_private: false })
  return [
    ...contactNames.flatMap((name) => answer(name, { answer_kept_private: true, is_contact: true })),
    ...answer('address_id', { answer_kept_private: true }),
    // The name in the value lets `findMediaUrls` find the link.
    ...mediaUrl.flatMap((link) => link.answer.split('\n').map((url) => ({ ...link, answer: url, value: { media_url: url } }))),
  ]
}

/** One for each service that forwarded the report. They are sent on in one header, which servers limit to 8 kB. */
const ADDRESSES_MAX = 20
const ADDRESS_LENGTH_MAX = 300

/**
 * Returns the addresses of the issues that a forwarded report stands for, from its `Link` header (RFC 8288, `rel="via"`). Longer addresses than
 * those of issues are left out. No key is needed, because the header has an effect on its own report only.
 * @throws Problem 409 with a link to the issue if this service has forwarded one of them, because the report would come back
 */
async function readOrigins(db: PrismaHandle, request: FastifyRequest, urls: Urls): Promise<string[]> {
  const addresses = listLinks([request.headers.link ?? ''].flat().join(', '), VIA)
    .filter((address) => address.length <= ADDRESS_LENGTH_MAX)
    .slice(0, ADDRESSES_MAX)
  const own = await findForwardedIssue(db, addresses, urls)
  if (own !== undefined) throw problems.reportIsHere(urls.at(`/issues/${own}`))
  return addresses
}

async function findForwardedIssue(db: PrismaHandle, addresses: readonly string[], urls: Urls): Promise<number | undefined> {
  const own = urls.at('/issues/')
  const ids = addresses.flatMap((address) => {
    const id = address.startsWith(own) ? address.slice(own.length) : ''
    return isId(id) ? Number(id) : []
  })
  if (ids.length === 0) return undefined
  const forwarded = await db.prisma.forwardedIssue.findFirst({ where: { issue_id: { in: ids } }, select: { issue_id: true } })
  return forwarded?.issue_id
}

/** Stores the origins of an issue, which are sent with it if it is forwarded. */
async function addOrigins(tx: Transaction, issueId: number, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  await tx.prisma.reportOrigins.create({ data: { issue_id: issueId, addresses: [...addresses] } })
}
