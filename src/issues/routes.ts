import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import packageJson from '../../package.json' with { type: 'json' }
import { listNewestComments } from '../comments/queries.ts'
import type { Queryable } from '../database/database.ts'
import { withoutLaterForms } from '../geo/area-query.ts'
import type { Viewer } from '../http/auth/access.ts'
import { isFresh, isFreshAlready, type Validators } from '../http/caching/conditional.ts'
import { cursorPageOf } from '../http/lists/cursor.ts'
import { withoutWaiting } from '../http/request/hooks.ts'
import { metadataOf, parametersOf, perPageMax } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { listDetails } from './details-queries.ts'
import { lastChangeOfLists } from './list/last-modified.ts'
import { fieldsOf, ListIssuesQuery } from './list/query.ts'
import { hasListAlready, readValidList } from './list/etag.ts'
import { toExtendedIssue, toIssue } from './present.ts'
import type { IssueRow } from './queries.ts'
import { wantedList } from './list/read-list.ts'
import { DETAILS_MAX, ExtendedIssue, type Issue, IssueList, IssueQuery, WHOLE_DETAILS_MAX } from './schema.ts'
import { IssueParams } from '../issue-lifecycle/schema.ts'
import { findWholeIssue } from './whole-issue-queries.ts'
import { findIssueVersion, type IssueVersion } from '../issue-lifecycle/version.ts'

const perPageWithDetailsMax = 20

export const issueRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, areas, urls } = services
  const reader = { query: db.read }
  const lastChangeOf = lastChangeOfLists(db)

  app.get(
    '/issues',
    {
      preValidation: withoutWaiting((request) => {
        request.query = withoutLaterForms(request.query as ListIssuesQuery)
      }),
      schema: {
        operationId: 'listIssues',
        summary: 'List issues in an area',
        description:
          'Without an area: everywhere. The first complete form of an area decides, and forms after it are not looked at: lat+lng+zoom, place_url, box, watcher_token.',
        tags: ['Issues'],
        querystring: ListIssuesQuery,
        response: { 200: IssueList, ...failsWith(422) },
      },
    },
    async (request, reply) => {
      const { query, viewer } = request
      const fields = fieldsOf(query)
      const given = parametersOf(request)
      const page = cursorPageOf(query, given, query.details ? perPageWithDetailsMax : perPageMax)
      const look = async () => {
        const wanted = await wantedList({ reader, areas }, query, page, viewer)
        return { wanted, reader, request, viewer, also: [urls.root] }
      }
      if (await hasListAlready(request, reply, look)) return reply.notModified()

      // Before all that the answer is made of, to which the centre of a place belongs as well.
      const lastModified = await lastChangeOf(query, viewer)
      const { wanted, ...asked } = await look()
      const { entries, next, issues: rows, validatorsWith } = await readValidList(wanted, asked)
      const metadata = metadataOf(urls, '/issues', given, wanted.page, entries, next)
      const ids = rows.map(({ id }) => id)
      const details = query.details ? await readDetails(reader, ids, viewer, DETAILS_MAX) : undefined
      const issues = details ? withDetails(rows, details) : rows.map((row) => toIssue(row, urls))
      const types = rows.map(({ request_type }) => request_type)
      isFresh(request, reply, { ...validatorsWith(peopleOf(rows, details), types), lastModified })
      if (!fields) return { metadata, issues, errors: {} }
      // Sparse issues lack what the schema requires, so they are written as they are.
      void reply.serializer(JSON.stringify).type('application/json; charset=utf-8')
      return { metadata, issues: issues.map((issue) => only(issue, fields)), errors: {} }
    },
  )

  app.get(
    '/issues/:id',
    {
      schema: {
        operationId: 'getIssue',
        summary: 'Get an issue with all its details',
        description: `With its comments and votes (up to ${WHOLE_DETAILS_MAX.toLocaleString('en')} of each), its answers, and what the caller has to do with it. Held issues are unknown to all but their authors and moderators.`,
        tags: ['Issues'],
        params: IssueParams,
        querystring: IssueQuery,
        response: { 200: ExtendedIssue, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { headers, params, viewer } = request
      // Whoever brings a validator has the answer most often, and its version costs a fraction of it.
      if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
        const version = await findIssueVersion(db, params.id, viewer)
        if (!version) throw problems.notFound('The issue')
        if (isFreshAlready(request, reply, validatorsOf(version))) return reply.notModified()
      }
      const issue = await findWholeIssue(db, params.id, viewer)
      if (!issue) throw problems.notFound('The issue')
      if (isFresh(request, reply, validatorsOf(issue))) return reply.notModified()
      return toExtendedIssue(issue, issue, issue.comments, urls)
    },
  )

  /** The answer also depends on the release that writes it and on the address that its links start with. */
  const validatorsOf = (version: IssueVersion): Validators => ({
    etag: [
      version.revision,
      version.sees_more,
      version.reporter_revision,
      version.assignee_revision,
      version.commenter_revisions,
      version.title,
      version.name,
      version.standing,
      version.changed_at,
      version.is_reporter,
      version.is_following,
      version.has_voted,
      packageJson.version,
      urls.root,
    ],
    lastModified: version.last_modified,
  })

  function withDetails(rows: readonly IssueRow[], { details, comments }: FoundDetails) {
    return rows.flatMap((row) => {
      const found = details.find(({ id }) => id === row.id)
      const own = comments.filter(({ issue_id }) => issue_id === row.id)
      return found ? [toExtendedIssue(row, found, own, urls)] : []
    })
  }
}

type FoundDetails = Awaited<ReturnType<typeof readDetails>>

const peopleOf = (rows: readonly IssueRow[], found: FoundDetails | undefined) => [
  ...rows.map(({ reporter }) => reporter),
  ...(found?.details.map(({ assignee }) => assignee) ?? []),
  ...(found?.comments.map(({ commenter }) => commenter) ?? []),
]

async function readDetails(from: Queryable, ids: readonly number[], viewer: Viewer | null, max: number) {
  const [details, comments] = await Promise.all([listDetails(from, ids, viewer, max), listNewestComments(from, ids, max)])
  return { details, comments }
}

function only<Field extends string>(issue: Readonly<Partial<Record<Field, unknown>>>, fields: readonly Field[]) {
  return Object.fromEntries(fields.map((field) => [field, issue[field]])) as unknown as Issue
}
