import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { setLastModified } from '../http/caching/conditional.ts'
import { findIssueVersion } from '../issue-lifecycle/version.ts'
import { IssueParams } from '../issue-lifecycle/schema.ts'
import { toPage, perPageMax } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { toListedComment } from './present.ts'
import { listComments } from './queries.ts'
import { CommentList, ListCommentsQuery } from './schema.ts'

/** Limit of an unpaged list, about 3 MB of JSON. */
const UNPAGED_MAX = 5_000

export const commentRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get(
    '/issues/:id/comments',
    {
      schema: {
        operationId: 'listComments',
        summary: 'List the comments of an issue',
        description: `Oldest first. Without page and per_page the list has at most ${UNPAGED_MAX.toLocaleString('en')} comments; if there are more, a Link header (rel="next") has the next page.`,
        tags: ['Comments'],
        params: IssueParams,
        querystring: ListCommentsQuery,
        response: { 200: CommentList, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { page, per_page } = request.query
      const version = await findIssueVersion(db, id, request.viewer)
      if (!version) throw problems.notFound('the_issue')
      const isUnpaged = page === undefined && per_page === undefined
      // One more row than the limit shows whether the list is longer.
      const rows = await listComments(db, id, isUnpaged ? { page: 1, perPage: UNPAGED_MAX + 1 } : toPage(request.query))
      const comments = rows.slice(0, UNPAGED_MAX)
      setLastModified(reply, version.last_modified)
      if (comments.length < rows.length) {
        const rest = `/issues/${id}/comments?page=${UNPAGED_MAX / perPageMax + 1}&per_page=${perPageMax}`
        void reply.header('link', `<${urls.api(rest)}>; rel="next"`)
      }
      return { comments: comments.map((comment) => toListedComment(comment, urls)) }
    },
  )
}
