import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { isFresh } from '../http/conditional.ts'
import { findIssueVersion } from '../issues/queries.ts'
import { IssueParams } from '../issues/schema.ts'
import { pageOf } from '../http/pagination.ts'
import { problems } from '../http/problems.ts'
import { failsWith } from '../http/schema.ts'
import type { Services } from '../services.ts'
import { toListedComment } from './present.ts'
import { listComments } from './queries.ts'
import { CommentList, ListCommentsQuery } from './schema.ts'

export const commentRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get(
    '/issues/:id/comments',
    {
      schema: {
        operationId: 'listComments',
        summary: 'List the comments of an issue',
        description: 'Oldest first, all of them unless page or per_page is given.',
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
      if (!version) throw problems.notFound('The issue')
      const isCut = page !== undefined || per_page !== undefined
      const comments = await listComments(db, [id], isCut ? pageOf(request.query) : undefined)
      isFresh(request, reply, { lastModified: version.last_modified })
      return { comments: comments.map((comment) => toListedComment(comment, urls)) }
    },
  )
}
