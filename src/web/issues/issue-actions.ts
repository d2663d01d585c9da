import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { assignIssue } from '../../assignments/assign.ts'
import { ASSIGNEE_ALLOWED } from '../../assignments/schema.ts'
import { type WrittenResult, writeComment } from '../../comments/write-comment.ts'
import { NewComment } from '../../comments/write-schema.ts'
import type { Transaction } from '../../database/database.ts'
import type { PendingDelivery } from '../../outbox/queries.ts'
import { followIssue, unfollowIssue } from '../../follows/follow.ts'
import { requireViewer, type Viewer } from '../../http/auth/authentication.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { countCaller } from '../../http/auth/login.ts'
import { storedResult, idempotent } from '../../http/idempotency/idempotent.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { schemaErrors } from '../../http/validation/validation.ts'
import { type TransitionName, transitionNames } from '../../issue-lifecycle/transitions.ts'
import type { Details } from '../../issues/schema.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import type { Services } from '../../services.ts'
import { castVote, withdrawVote } from '../../votes/vote.ts'
import { validationErrorsFrom, readText, translateErrors, toFormValues, normalizeLineEndings } from '../../html/form-input.ts'
import { withPreparation } from '../../http/validation/compilers.ts'
import { issuePage, type Refused } from './issue-page.ts'
import { NOBODY } from './issue-take-part.ts'
import { findIssueView, type IssueView } from './issue-view.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { text } from '../../errors/texts/text.ts'

interface Act {
  readonly issue_id: number
  readonly by: Viewer
  readonly at: Date
  readonly request_id: string
}

interface Press {
  readonly work: (tx: Transaction, act: Act, request: FastifyRequest) => Promise<PendingDelivery[]>
  /** What it is for: where that holds already, by a second press or from another window, nothing went wrong. */
  readonly isDone?: (relationship: Details['current_user_relationship']) => boolean
}

const presses: Readonly<Record<string, Press>> = {
  vote: { work: (tx, { by: voter, ...act }) => castVote(tx, { voter, ...act }) },
  'vote/delete': { work: (tx, { by: voter, ...act }) => withdrawVote(tx, { voter, ...act }), isDone: ({ voted }) => !voted },
  follow: {
    work: (tx, { by: follower, ...act }) => followIssue(tx, { follower, ...act }),
    isDone: ({ following }) => following,
  },
  'follow/delete': {
    work: (tx, { by: follower, ...act }) => unfollowIssue(tx, { follower, ...act }),
    isDone: ({ following }) => !following,
  },
  assignee: { work: (tx, act, { body }) => assignIssue(tx, { ...act, assignee_id: assigneeIn(body) }) },
}

function assigneeIn(body: unknown): number | null {
  const given = readText(toFormValues(body), 'assignee_id')
  if (given === NOBODY) return null
  if (!/^\d{1,10}$/.test(given)) throw problems.invalid({ assignee_id: text('must_be', { allowed: ASSIGNEE_ALLOWED }) })
  return Number(given)
}

/** What people do on the page of an issue; each thing has an address of its own, which leads back to the page. */
export const issueActionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, rateLimit, clock, dispatchDeliveries: dispatchDeliveries } = services
  addIdempotency(app, services, formIdempotencyKey)

  /** Whoever sends it is known, and counted, before their pictures are taken in. */
  const mayAct = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id } = request.params as { readonly id: string }
    if (!request.viewer) return redirectToLogin(request, reply, urls, `/issues/${id}#say`)
    await countCaller(rateLimit, reply)
  }

  for (const [step, move] of [['comments', undefined], ...transitionNames.map((one) => [one, one] as const)] as const) {
    app.post(
      `/issues/:id/${step}`,
      {
        attachValidation: true,
        config: { files: ['image'] },
        onRequest: mayAct,
        validatorCompiler: withPreparation(app, 'body', normalizeLineEndings),
        schema: { params: IssueParams, body: NewComment },
      },
      async (request, reply) => write(request, reply, request.params.id, move),
    )
    leadBack(step)
  }

  for (const [step, press] of Object.entries(presses)) {
    const body = Type.Object({ assignee_id: Type.Optional(Type.String()) })
    app.post(`/issues/:id/${step}`, { onRequest: mayAct, schema: { params: IssueParams, body } }, async (request, reply) =>
      change(request, reply, request.params.id, press),
    )
    leadBack(step)
  }

  /** A comment, and with it a move. */
  async function write(request: FastifyRequest, reply: FastifyReply, issueId: number, move: TransitionName | undefined) {
    try {
      const written =
        storedResult<WrittenResult>(request) ??
        (await writeComment(services, {
          issueId,
          transition: move,
          body: request.body,
          faults: schemaErrors(request),
          commenter: requireViewer(request),
          locale: preferredLocale(request),
          requestId: request.id,
          inTransaction: (work) => idempotent(request, db, work),
        }))
      return seeOther(reply, urls, `/issues/${issueId}#comment-${written.id}`)
    } catch (error) {
      const { status, errors } = refusalIn(request, error)
      await releaseIdempotencyKey(request, db)
      const view = await findIssueView(services, issueId, request.viewer)
      return show(request, reply.code(status), view, { what: 'comment', move, typed: normalizeLineEndings(request.body), errors })
    }
  }

  async function change(request: FastifyRequest, reply: FastifyReply, issueId: number, { work, isDone }: Press) {
    const act = { issue_id: issueId, by: requireViewer(request), at: clock(), request_id: request.id }
    try {
      dispatchDeliveries(await db.transaction((tx) => work(tx, act, request)))
    } catch (error) {
      const { status, errors } = refusalIn(request, error)
      const view = await findIssueView(services, issueId, request.viewer)
      const isDoneAlready = view.isPublic && isDone?.(view.issue.current_user_relationship)
      if (!isDoneAlready) return show(request, reply.code(status), view, { what: 'press', typed: {}, errors })
    }
    return seeOther(reply, urls, `/issues/${issueId}#part`)
  }

  function show(request: FastifyRequest, reply: FastifyReply, view: IssueView, refused: Refused) {
    return sendPrivatePage(request, reply, urls, issuePage(view, { refused }, urls))
  }

  /** Where a form was sent to is an address that somebody may load again. */
  function leadBack(step: string) {
    app.get(`/issues/:id/${step}`, { schema: { params: IssueParams } }, async (request, reply) => {
      const { id } = request.params as { readonly id: number }
      return seeOther(reply, urls, `/issues/${id}`)
    })
  }
}

/** What a feature refused, for the page to say; that somebody may not do it also, since an employee may have been faster. */
function refusalIn(request: FastifyRequest, error: unknown): Pick<Refused, 'errors'> & { readonly status: number } {
  if (error instanceof Problem && error.status === 403 && error.body.kind === 'message')
    return { status: 403, errors: translateErrors(request, { base: error.body.message }) }
  return { status: 422, errors: translateErrors(request, validationErrorsFrom(error)) }
}
