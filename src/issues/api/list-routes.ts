import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { listNewestComments } from '../../comments/queries.ts'
import type { Language } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { JSON_TYPE, createTypeNegotiator, negotiateLanguage, serializeJson } from '../../http/formats/content-types.ts'
import { toCursorPage, toMetadata, queryParameters, perPageMax } from '../../http/lists/pagination.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import type { Services } from '../../services.ts'
import type { pageContents } from '../formats/schema.ts'
import { listDetails } from '../details-queries.ts'
import { type IssueRow } from '../queries.ts'
import { toExtendedIssue, toIssue } from '../present.ts'
import { DETAILS_MAX, IssueList } from '../schema.ts'
import { loggingReader, parseListQuery, createListSender } from '../list/read-list.ts'
import { parseFields, ListIssuesQuery, pickFields } from '../list/query.ts'

const perPageWithDetailsMax = 20

export type ListSender = ReturnType<typeof createListSender>
export type SendPage = (request: FastifyRequest, reply: FastifyReply, query: ListIssuesQuery) => ReturnType<ListSender>

/** The content types of lists of issues in addition to JSON. */
export interface OtherTypes {
  /** The contents of a response, by media type. */
  readonly contents: typeof pageContents
  createSenders(services: Services, sendList: ListSender): ReadonlyMap<string, SendPage>
}

interface ListServices extends Services {
  readonly otherTypes: OtherTypes
}

export const listRoutes: FastifyPluginAsyncTypebox<ListServices> = async (app, { otherTypes, ...services }) => {
  const { areas, db, urls } = services
  const sendList = createListSender(services)
  const senders = otherTypes.createSenders(services, sendList)
  const negotiateType = createTypeNegotiator([JSON_TYPE, ...senders.keys()])

  app.get(
    '/issues',
    {
      validatorCompiler: withInputTransform(app, 'querystring', dropOverriddenParameters),
      schema: {
        operationId: 'listIssues',
        summary: 'List issues in an area',
        description:
          'Without an area, all issues are listed. The first complete form of an area applies and later forms are ignored: lat+lng+zoom, address+zoom, place_url, box, watcher_token, lat+lng+radius, area. `Accept` selects another content type for the same page; `details` and `fields[issue]` are for JSON only. CSV (RFC 4180) has the columns of the GeoJSON properties, then `lng`, `lat`, `licence` and `attribution`; the number of all issues is in `X-Total-Count`, other pages are in `Link`.',
        tags: ['Issues'],
        querystring: ListIssuesQuery,
        response: {
          200: { description: 'A page of issues.', content: { 'application/json': { schema: IssueList }, ...otherTypes.contents } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const { query, viewer } = request
      const type = negotiateType(request)
      const sendPage = senders.get(type)
      if (sendPage) return sendPage(request, reply, query)
      const language = negotiateLanguage(request)
      const reader = loggingReader(db.reader, request.log)
      const fields = parseFields(query)
      const parameters = queryParameters(request)
      const cursorPage = toCursorPage(query, parameters, query.details ? perPageWithDetailsMax : perPageMax)
      const listRequest = await parseListQuery({ reader, areas }, query, cursorPage, viewer)
      return sendList(request, reply, { reader, listRequest, viewer, type, language }, async ({ entries, next, issues: rows }) => {
        const metadata = toMetadata(urls, '/issues', parameters, listRequest.page, entries, next)
        const ids = rows.map(({ id }) => id)
        const details = query.details ? await readDetails(reader, ids, viewer, DETAILS_MAX) : undefined
        const issues = details ? withDetails(rows, details, language) : rows.map((row) => toIssue(row, urls, language))
        // Sparse issues lack required fields of the schema, so its serializer cannot write them.
        const body = fields
          ? JSON.stringify({ metadata, issues: pickFields(issues, fields), errors: {} })
          : serializeJson(reply, { metadata, issues, errors: {} })
        return { body, people: collectVisibleUsers(rows, details) }
      })
    },
  )

  function withDetails(rows: readonly IssueRow[], { details, comments }: FoundDetails, language: Language) {
    return rows.flatMap((row) => {
      const found = details.find(({ id }) => id === row.id)
      const issueComments = comments.filter(({ issue_id }) => issue_id === row.id)
      return found ? [toExtendedIssue(row, found, issueComments, urls, language)] : []
    })
  }
}

type FoundDetails = Awaited<ReturnType<typeof readDetails>>

const collectVisibleUsers = (rows: readonly IssueRow[], found: FoundDetails | undefined) => [
  ...rows.map(({ reporter }) => reporter),
  ...(found?.details.map(({ assignee, assignee_department: department }) => (department ? null : assignee)) ?? []),
  ...(found?.comments.map(({ commenter, department }) => (department ? null : commenter)) ?? []),
]

async function readDetails(reader: Queryable, ids: readonly number[], viewer: Viewer | null, max: number) {
  const [details, comments] = await Promise.all([listDetails(reader, ids, viewer, max), listNewestComments(reader, ids, max)])
  return { details, comments }
}
