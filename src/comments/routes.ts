import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'

import { HELD, Held } from '../content-policy/schema.ts'
import { orNotFound } from '../errors/problems.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { setLastModified } from '../http/caching/validators.ts'
import { storedResult } from '../http/idempotency/idempotency.ts'
import { toPage, perPageMax } from '../http/lists/pagination.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { failsWith } from '../http/schema/fields.ts'
import { schemaErrors } from '../http/validation/validation.ts'
import { type TransitionName } from '../issue-lifecycle/transitions.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import { findIssueVersion } from '../issue-lifecycle/version.ts'
import type { Text } from '../locales/texts.ts'
import type { Services } from '../services.ts'
import { NewClosing, NewComment, WrittenComment } from './new-comment.ts'
import { toListedComment, listComments, toWrittenComment, findComment } from './queries.ts'
import { ListedComment } from './schema.ts'
import { commentChanges, type CommentResult, writeComment } from './write-comment.ts'

const CommentList = Type.Object({ comments: Type.Array(ListedComment) })

/** Without both parameters the list is not paged. */
const ListCommentsQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      description: 'The page, from 1; lower values count as 1.',
      examples: [1],
    }),
  ),
  per_page: Type.Optional(Type.Integer({ description: 'Rows of a page, 1 to 100.', examples: [20] })),
})

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
      const version = orNotFound(await findIssueVersion(db, id, request.viewer), 'the_issue')
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

const route = {
  config: { files: ['image'], reportsInvalidCharacters: true },
  onRequest: requireLogin,
  // `writeComment` reports schema errors together with its own, after it has checked the caller's rights.
  attachValidation: true,
} as const

const schema = {
  params: IssueParams,
  body: NewComment,
  response: { 201: WrittenComment, 202: Held, ...failsWith(400, 404, 413, 415, 422) },
} as const

const transitionRoutes: readonly {
  readonly transition: TransitionName
  readonly operationId: string
  readonly summary: string
  readonly description: string
}[] = [
  {
    transition: 'close',
    operationId: 'closeIssue',
    summary: 'Close an issue',
    description:
      'With a comment that says why, and the outcome. Every user may close an open issue; only employees of its organisation may close an acknowledged one.',
  },
  {
    transition: 'open',
    operationId: 'openIssue',
    summary: 'Reopen a closed issue',
    description: 'With a comment that says why. A closed issue is archived after seven days and cannot be opened again.',
  },
  {
    transition: 'acknowledge',
    operationId: 'acknowledgeIssue',
    summary: 'Acknowledge an issue',
    description: 'For employees of its organisation, with a comment that says what happens next.',
  },
]

export const commentWritingRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.post(
    '/issues/:id/comments',
    {
      ...route,
      schema: {
        ...schema,
        operationId: 'createComment',
        summary: 'Comment on an issue',
        description: 'As JSON, as a form, or as multipart/form-data with a picture.',
        tags: ['Comments'],
      },
    },
    async (request, reply) => {
      const written = await write(request, request.params.id)
      if (written.isHeld) return reply.code(202).send(HELD)
      return reply.code(201).send(await toResponse(written))
    },
  )

  for (const { transition, ...operation } of transitionRoutes) {
    app.post(
      `/issues/:id/${transition}`,
      {
        ...route,
        schema: { ...schema, body: transition === 'close' ? NewClosing : NewComment, ...operation, tags: ['Issues'] },
      },
      async (request, reply) => {
        const { id } = request.params as { readonly id: number }
        const written = await write(request, id, transition)
        if (written.isHeld) return reply.code(202).send(HELD)
        return reply.code(201).send(await toResponse(written))
      },
    )
  }

  async function write(request: FastifyRequest, issueId: number, transition?: TransitionName): Promise<CommentResult> {
    const commenter = requireViewer(request)
    const written = storedResult<CommentResult>(request)
    if (written) return written
    return writeComment(services, {
      issueId,
      transition,
      body: request.body,
      inputErrors: { ...schemaErrors(request), ...lastErrors(request.invalidCharacters) },
      commenter,
      locale: preferredLocale(request),
      requestId: request.id,
      changes: commentChanges(request, services.db, issueId),
    })
  }

  async function toResponse({ id, status, rating }: CommentResult): Promise<WrittenComment> {
    // The comment was hidden or its issue deleted after the commit.
    const row = orNotFound(await findComment(services.db, id), 'the_comment')
    return toWrittenComment({ ...row, issue: { status, rating } }, services.urls)
  }
}

const lastErrors = (errors: Readonly<Record<string, readonly Text[]>>) =>
  Object.fromEntries(Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => [field, text] as const)))
