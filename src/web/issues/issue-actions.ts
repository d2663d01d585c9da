import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { commentChanges, type CommentResult, writeComment } from '../../comments/write-comment.ts'
import { NewClosing, NewComment } from '../../comments/new-comment.ts'
import type { Transaction } from '../../database/database.ts'
import { followIssue, unfollowIssue } from '../../follows/follow.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { addIdempotency, releaseIdempotencyKey, storedResult } from '../../http/idempotency/idempotency.ts'
import { pageTexts, preferredLocale } from '../../http/errors/text-language.ts'
import { countForm } from '../../http/auth/login.ts'
import { Problem } from '../../errors/problems.ts'
import { schemaErrors } from '../../http/validation/validation.ts'
import { type TransitionName, transitionNames } from '../../issue-lifecycle/transitions.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import type { Details } from '../../issues/schema.ts'
import { previewAnswer, NewPreview } from '../../staff/previews.ts'
import type { WebServices } from '../map/page-maps.ts'
import { castVote, withdrawVote } from '../../votes/vote.ts'
import {
  fileErrors,
  validationErrorsFrom,
  toFormValues,
  translateErrors,
  normalizeLineEndings,
  formIdempotencyKey,
} from '../../html/form.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { issuePage, type IssuePageOptions, type RejectedIssueForm } from './issue-page.ts'
import { parseActionPath, voteAndFollow } from './act-on-login.ts'
import { type ActionInput, staffActions } from './staff-actions.ts'
import { findIssueView, type IssueView } from './issue-view.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/links.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'

interface IssueAction {
  readonly run: (tx: Transaction, input: ActionInput, request: FastifyRequest) => Promise<void>
  /** Returns true if the desired state is already reached, for example by a double click. Then an error is ignored. */
  readonly isDone?: (relationship: Details['current_user_relationship']) => boolean
  /** The id of the section to which the page returns. */
  readonly returnsTo?: string
}

const issueActions: Readonly<Record<string, IssueAction>> = {
  vote: { run: castVote },
  same: { run: voteAndFollow },
  'vote/delete': { run: withdrawVote, isDone: ({ voted }) => !voted },
  follow: { run: followIssue, isDone: ({ following }) => following },
  'follow/delete': { run: unfollowIssue, isDone: ({ following }) => !following },
  ...staffActions,
}

export const issueActionPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, maps, clock } = services
  addIdempotency(app, services, formIdempotencyKey)

  /** Login and rate limit are checked before the image is read. */
  const requireLogin = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id } = request.params as { readonly id: string }
    if (!request.viewer)
      return redirectToLogin(request, reply, urls, parseActionPath(request.url) ? request.url : `/issues/${id}#say`)
    await countForm(reply)
  }

  for (const [step, transition] of [['comments', undefined], ...transitionNames.map((one) => [one, one] as const)] as const) {
    app.post(
      `/issues/:id/${step}`,
      {
        attachValidation: true,
        config: { files: ['image'], reportsLargeFiles: true },
        onRequest: requireLogin,
        validatorCompiler: withInputTransform(app, 'body', normalizeLineEndings),
        schema: { params: IssueParams, body: transition === 'close' ? NewClosing : NewComment },
      },
      async (request, reply) => postComment(request, reply, request.params.id, transition),
    )
    addIssueRedirect(step)
  }

  app.post(
    '/issues/:id/preview',
    {
      attachValidation: true,
      config: { files: ['image'], reportsLargeFiles: true, idempotency: false },
      onRequest: requireLogin,
      validatorCompiler: withInputTransform(app, 'body', normalizeLineEndings),
      schema: { params: IssueParams, body: NewPreview },
    },
    async (request, reply) => sendPreview(request, reply, request.params.id),
  )
  addIssueRedirect('preview')

  for (const [step, action] of Object.entries(issueActions)) {
    app.post(`/issues/:id/${step}`, { onRequest: requireLogin, schema: { params: IssueParams } }, async (request, reply) =>
      runAction(request, reply, request.params.id, action),
    )
    addIssueRedirect(step)
  }

  async function postComment(
    request: FastifyRequest,
    reply: FastifyReply,
    issueId: number,
    transition: TransitionName | undefined,
  ) {
    try {
      const comment =
        storedResult<CommentResult>(request) ??
        (await writeComment(services, {
          issueId,
          transition,
          body: request.body,
          inputErrors: { ...schemaErrors(request), ...fileErrors(request) },
          requiresOutcome: true,
          commenter: requireViewer(request),
          locale: preferredLocale(request),
          requestId: request.id,
          changes: commentChanges(request, db, issueId),
        }))
      return seeOther(reply, urls, `/issues/${issueId}#comment-${comment.id}`)
    } catch (error) {
      const { status, errors } = toFormErrors(request, error)
      await releaseIdempotencyKey(request, db)
      const view = await findView(request, issueId)
      const values = normalizeLineEndings(request.body)
      return sendIssuePage(request, reply.code(status), view, { rejected: { form: 'comment', transition, values, errors } })
    }
  }

  /** The page shows the mail above its form, which keeps what was written. */
  async function sendPreview(request: FastifyRequest, reply: FastifyReply, issueId: number) {
    const values = normalizeLineEndings(request.body)
    const { image: _image, transition: name, ...body } = values
    const transition = transitionNames.find((one) => one === name)
    const answer = {
      issue_id: issueId,
      by: requireViewer(request),
      transition,
      body,
      inputErrors: { ...schemaErrors(request), ...fileErrors(request) },
    }
    try {
      const locale = preferredLocale(request)
      const preview = await previewAnswer(services, { ...answer, locale, requiresOutcome: true, request_id: request.id })
      return sendIssuePage(request, reply, await findView(request, issueId), { values, preview })
    } catch (error) {
      const { status, errors } = toFormErrors(request, error)
      const rejected = { form: 'comment', transition, values, errors } as const
      return sendIssuePage(request, reply.code(status), await findView(request, issueId), { rejected })
    }
  }

  async function runAction(
    request: FastifyRequest,
    reply: FastifyReply,
    issueId: number,
    { run, isDone, returnsTo = 'part' }: IssueAction,
  ) {
    const input = { issue_id: issueId, by: requireViewer(request), now: clock(), request_id: request.id }
    try {
      await limitIssueWrites(db, issueId).transaction((tx) => run(tx, input, request))
    } catch (error) {
      const { status, errors } = toFormErrors(request, error)
      const view = await findView(request, issueId)
      const isDoneAlready = view.isPublic && isDone?.(view.issue.current_user_relationship)
      if (!isDoneAlready)
        return sendIssuePage(request, reply.code(status), view, {
          rejected: { form: 'action', values: toFormValues(request.body), errors },
        })
    }
    return seeOther(reply, urls, `/issues/${issueId}#${returnsTo}`)
  }

  const findView = (request: FastifyRequest, issueId: number) =>
    findIssueView(services, issueId, { viewer: request.viewer, texts: pageTexts(request) })

  async function sendIssuePage(request: FastifyRequest, reply: FastifyReply, view: IssueView, options: Partial<IssuePageOptions>) {
    return sendPrivatePage(request, reply, urls, issuePage(view, { ...options, maps, map: await maps.embedded() }, urls))
  }

  /** Reloading the path of a form in the browser sends GET. */
  function addIssueRedirect(step: string) {
    app.get(`/issues/:id/${step}`, { schema: { params: IssueParams } }, async (request, reply) => {
      const { id } = request.params as { readonly id: number }
      return seeOther(reply, urls, `/issues/${id}`)
    })
  }
}

/** A 403 is shown on the page, too, because the status can change before the form is sent. */
function toFormErrors(request: FastifyRequest, error: unknown): Pick<RejectedIssueForm, 'errors'> & { readonly status: number } {
  if (error instanceof Problem && [403, 412, 428].includes(error.status) && error.body.kind === 'message')
    return { status: error.status, errors: translateErrors(request, { base: error.body.message }) }
  return { status: 422, errors: translateErrors(request, validationErrorsFrom(error)) }
}
