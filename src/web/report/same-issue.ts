import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import type { Transaction } from '../../database/database.ts'
import { Problem } from '../../errors/problems.ts'
import { followIssue } from '../../follows/follow.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { countCaller } from '../../http/auth/login.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import type { Services } from '../../services.ts'
import { castVote } from '../../votes/vote.ts'
import { PROBLEM_WORDS_MAX } from './report-input.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'

/** The report that the issue may replace; the login returns to it. */
const SameQuery = Type.Object({
  lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  lng: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  type: Type.Optional(Type.String({ pattern: '^(other|[1-9][0-9]{0,9})$' })),
  words: Type.Optional(Type.String({ maxLength: PROBLEM_WORDS_MAX })),
  place: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
})

/** The button "It's this one" of a report: the viewer votes for the issue and follows it instead of reporting it again. */
export const sameIssueForm: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services

  const requireLogin = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, toReportPath(request.query as Static<typeof SameQuery>))
    await countCaller(reply)
  }

  const body = Type.Object({})
  app.post(
    '/issues/:id/same',
    { preHandler: requireLogin, schema: { params: IssueParams, querystring: SameQuery, body } },
    async (request, reply) => {
      const { id: issue_id } = request.params
      const by = requireViewer(request)
      const input = { issue_id, now: clock(), request_id: request.id }
      await limitIssueChanges(db, issue_id).transaction(async (tx) => {
        await castVote(tx, { ...input, voter: by })
        await followOnce(tx, { ...input, follower: by })
      })
      return seeOther(reply, urls, `/issues/${issue_id}#part`)
    },
  )
  // Reloading the page in the browser sends GET.
  app.get('/issues/:id/same', { schema: { params: IssueParams } }, async (request, reply) =>
    seeOther(reply, urls, `/issues/${request.params.id}`),
  )
}

/** A follower stays one. */
async function followOnce(tx: Transaction, input: Parameters<typeof followIssue>[1]): Promise<void> {
  try {
    await followIssue(tx, input)
  } catch (error) {
    if (error instanceof Problem && error.status === 422) return
    throw error
  }
}

function toReportPath({ place, ...parameters }: Static<typeof SameQuery>): string {
  const path = place === undefined ? '/report' : `/places/${encodeURIComponent(place)}/report`
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString()
  return query === '' ? path : `${path}?${query}`
}
