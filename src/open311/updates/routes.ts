import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'

import { type Language, textsIn } from '../../locales/texts.ts'
import { cutDescription } from '../../georeport/geo-report.ts'
import { toState } from '../../georeport/parse-response.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import { suffixes, withoutSuffix, formatPageLinks, pageUrl, sendDocument, sendWritten } from '../formats/send.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'
import { knownParameters, readInteger, readParameters } from '../input/body.ts'
import { readPeriod } from '../requests/query.ts'
import type { CommentResult } from '../../comments/write-comment.ts'
import { storedResult } from '../../http/idempotency/idempotency.ts'
import { writeConfig } from '../credentials/write-credentials.ts'
import { writeRequestComment, writeUpdate } from './write-update.ts'
import { Id, nullable, stringEnum, Timestamp, empty, type Queryable, type Sql, sql } from '../../database/database.ts'
import { statuses } from '../../issue-lifecycle/status.ts'

const PAGE_SIZE_MAX = 1_000
const PAGE_MAX = 10_000
const options = { config: knownParameters(['start_date', 'end_date', 'page', 'page_size']) }

/** GET servicerequestupdates: what is public of the updates in a period, oldest first (an extension of FixMyStreet). */
export function addUpdateRoutes(app: FastifyInstance, { db, urls, clock }: Services): void {
  for (const root of roots)
    for (const suffix of suffixes)
      app.get(`${root}/servicerequestupdates${suffix}`, options, async (request, reply) => {
        const parameters = readParameters(request)
        const jurisdiction = await findJurisdiction(db.reader, request, parameters)
        const { createdFrom: from, createdBefore: before } = readPeriod(parameters, clock()).period
        const [page, size] = [
          readInteger(parameters, 'page', { max: PAGE_MAX }) ?? 1,
          readInteger(parameters, 'page_size', { max: PAGE_SIZE_MAX }) ?? PAGE_SIZE_MAX,
        ]
        const found = await listIssueUpdates(db.reader, {
          ...{ from, before, organizationId: jurisdiction?.id },
          ...{ limit: size + 1, offset: (page - 1) * size },
        })
        const urlOf = (number: number) => pageUrl(urls, request, { page: String(number) })
        const link = formatPageLinks([
          ...(found.length > size ? [['next', urlOf(page + 1)] as const] : []),
          ...(page > 1 ? [['prev', urlOf(page - 1)] as const] : []),
        ])
        const language = negotiateLanguage(request)
        void reply.headers({ 'content-language': language, link })
        const value = found.slice(0, size).map((update) => toUpdate(update, urls, language))
        return sendDocument(request, reply, { root: 'service_request_updates', value })
      })
}

const toUpdate = ({ kind, id, issue_id, status, created_at, comment, image }: IssueUpdate, urls: Urls, language: Language) => ({
  update_id: kind === 'comment' ? String(id) : `change-${id}`,
  service_request_id: String(issue_id),
  status: toState(status),
  external_status_code: status,
  updated_datetime: toTimestamp(created_at),
  description: cutDescription(comment ?? textsIn(language)(`standardUpdate.${status}`)),
  media_url: image && urls.at(`/files/${image}`),
})

const writeOptions = { config: { ...writeConfig, files: ['media', 'media[]', 'media[*]'] } }

/** POST a comment or picture to a service request, and POST servicerequestupdates. */
export function addUpdateWritingRoutes(app: FastifyInstance, services: Services): void {
  for (const root of roots) {
    app.post<{ Params: { id: string } }>(`${root}/requests/:id`, writeOptions, async (request, reply) => {
      const id = withoutSuffix(request.params.id)
      const { isHeld } = storedResult<CommentResult>(request) ?? (await writeRequestComment(services, request, id))
      const service_notice = isHeld ? textsIn(negotiateLanguage(request))('commentNotice.held') : null
      const value = [{ service_request_id: id, service_notice, account_id: null }]
      return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
    })

    for (const suffix of suffixes) {
      app.post(`${root}/servicerequestupdates${suffix}`, writeOptions, async (request, reply) => {
        const { id, isHeld } = storedResult<CommentResult>(request) ?? (await writeUpdate(services, request))
        const value = [{ update_id: String(id) }]
        return sendWritten(request, reply, isHeld, { root: 'service_request_updates', value })
      })
    }
  }
}

const IssueUpdate = Type.Object({
  kind: stringEnum(['comment', 'change']),
  id: Id,
  issue_id: Id,
  /** The status after the update. */
  status: stringEnum(statuses),
  created_at: Timestamp,
  /** It is null for a change of the status without a public comment. */
  comment: nullable(Type.String()),
  image: nullable(Type.String()),
})
type IssueUpdate = Static<typeof IssueUpdate>

interface UpdateFilter {
  /** Bounds in ISO 8601; the second is exclusive. */
  readonly from: string | undefined
  readonly before: string | undefined
  readonly organizationId: number | undefined
  readonly limit: number
  readonly offset: number
}

/**
 * Returns public comments, and changes of the status without a public comment, of public issues, oldest first. Archiving is left out, because
 * it happens by itself and changes nothing for a resident.
 */
function listIssueUpdates(db: Queryable, { limit, offset, ...filter }: UpdateFilter): Promise<IssueUpdate[]> {
  const first = limit + offset
  return db.query(sql.type(IssueUpdate)`
    SELECT u.kind, u.id, u.issue_id, u.status, u.created_at, u.comment, u.image FROM (
      (SELECT 'comment' AS kind, c.id, c.issue_id, ${statusAt(sql`c`)} AS status, c.created_at, c.comment,
        (SELECT m.full_key FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1) AS image
      FROM comments c JOIN issues i ON i.id = c.issue_id
      WHERE c.moderation_state = 'passed' ${conditions(sql`c`, filter)}
      ORDER BY c.created_at, c.id LIMIT ${first}::integer)
      UNION ALL
      (SELECT 'change', s.id, s.issue_id, s.to_status, s.created_at, NULL, NULL
      FROM status_changes s JOIN issues i ON i.id = s.issue_id
      WHERE s.from_status IS NOT NULL AND s.to_status <> 'Archived'
        AND NOT EXISTS (SELECT FROM comments o WHERE o.id = s.comment_id AND o.moderation_state = 'passed') ${conditions(sql`s`, filter)}
      ORDER BY s.created_at, s.id LIMIT ${first}::integer)) u
    ORDER BY u.created_at, u.kind, u.id
    LIMIT ${limit}::integer OFFSET ${offset}::integer`)
}

const statusAt = (row: Sql) => sql`coalesce((
  SELECT past.to_status FROM status_changes past WHERE past.issue_id = ${row}.issue_id AND past.created_at <= ${row}.created_at
  ORDER BY past.id DESC LIMIT 1), 'Open')`

const conditions = (row: Sql, { from, before, organizationId }: Pick<UpdateFilter, 'from' | 'before' | 'organizationId'>) => sql`
  AND i.moderation_state = 'passed'
  ${from === undefined ? empty : sql`AND ${row}.created_at >= ${from}::timestamptz`}
  ${before === undefined ? empty : sql`AND ${row}.created_at < ${before}::timestamptz`}
  ${organizationId === undefined ? empty : sql`AND i.request_type_id IN (SELECT rt.id FROM request_types rt WHERE rt.organization_id = ${organizationId})`}`
