import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import type { Text } from '../locales/texts.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { preferredLocale } from '../http/request/locale.ts'
import { storedResult } from '../http/idempotency/idempotent.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import { schemaErrors } from '../http/validation/validation.ts'
import { IssueParams } from '../issue-lifecycle/schema.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import { HELD, Held } from '../content-policy/schema.ts'
import type { Services } from '../services.ts'
import { toWrittenComment } from './present.ts'
import { findComment } from './queries.ts'
import { commentChanges, type CommentResult, writeComment } from './write-comment.ts'
import { NewClosing, NewComment, WrittenComment } from './write-schema.ts'

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
    const row = await findComment(services.db, id)
    // The comment was hidden or its issue deleted after the commit.
    if (!row) throw problems.notFound('the_comment')
    return toWrittenComment({ ...row, issue: { status, rating } }, services.urls)
  }
}

const lastErrors = (errors: Readonly<Record<string, readonly Text[]>>) =>
  Object.fromEntries(Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => [field, text] as const)))
