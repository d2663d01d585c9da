import Type from 'typebox'
import { stringEnum, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type Viewer, requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { issueReadableBy } from '../issue-lifecycle/access.ts'
import { NOT_PUBLIC, limitIssueWrites } from '../issue-lifecycle/lock-issue.ts'
import { moderationStates, IssueParams } from '../issue-lifecycle/status.ts'
import { appendToChangeLog, publicChange } from '../issue-lifecycle/version.ts'
import { text } from '../locales/texts.ts'
import { insertEvent } from '../outbox/queries.ts'
import { pointsFor } from '../users/rules.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { VoteResponse } from './schema.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

interface VoteInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly request_id: string
}

/**
 * Idempotent. `updated_at` stays, because lists that are sorted by it must not change with every vote. Archived issues can be voted for, too.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public, 401 if the account was deleted meanwhile
 */
export async function castVote(db: Queryable, input: VoteInput & { readonly now: Date }): Promise<void> {
  const change = sql`
      INSERT INTO votes (issue_id, user_id, created_at)
      SELECT i.id, voter.id, ${input.now.toISOString()}::timestamptz
      FROM voter JOIN issues i ON i.id = ${input.issue_id} AND i.moderation_state = 'passed'
      ON CONFLICT (issue_id, user_id) DO NOTHING
      RETURNING votes.issue_id, votes.user_id`
  await changeVote(db, input, { step: 1, event: 'issue.voted', change })
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or there is no vote, 401 if the account was deleted meanwhile */
export async function withdrawVote(db: Queryable, input: VoteInput): Promise<void> {
  const change = sql`
      DELETE FROM votes v USING voter, issues i
      WHERE v.issue_id = ${input.issue_id} AND v.user_id = voter.id AND i.id = v.issue_id AND i.moderation_state = 'passed'
      RETURNING v.issue_id, v.user_id`
  const isChanged = await changeVote(db, input, { step: -1, event: 'issue.unvoted', change })
  if (!isChanged) throw problems.invalid({ base: text('not_voted_for_issue') })
}

interface VoteChange {
  readonly step: 1 | -1
  readonly event: 'issue.voted' | 'issue.unvoted'
  /** Inserts or deletes the vote of `voter`, if the issue is public, and returns its `issue_id` and `user_id`. */
  readonly change: Sql
}

const VotedIssue = Type.Object({
  moderation_state: stringEnum(moderationStates),
  /** False if the account was deleted meanwhile. */
  has_voter: Type.Boolean(),
  is_changed: Type.Boolean(),
})

/**
 * Changes the vote, the count of the issue and the civic points, and records the event. One statement, so it needs no transaction. Lock order: the voter,
 * then the issue. A vote for one's own anonymous report gives no points, because a public number that changes would reveal the reporter.
 * @returns whether the vote was there to delete, or was not there before
 */
async function changeVote(
  db: Queryable,
  { issue_id, by, request_id }: VoteInput,
  { step, event, change }: VoteChange,
): Promise<boolean> {
  const issue = await db.query(
    prepared(sql.first(VotedIssue)`
    WITH voter AS (SELECT u.id FROM users u WHERE u.id = ${by.id} FOR NO KEY UPDATE),
    changed_vote AS (${change}),
    issue AS (
      UPDATE issues i SET vote_count = i.vote_count + ${step}::integer, ${publicChange}
      FROM changed_vote WHERE i.id = changed_vote.issue_id
      RETURNING i.id, i.cell, i.status, changed_vote.user_id, (i.anonymous AND i.reporter_id = changed_vote.user_id) IS TRUE AS is_secret),
    log AS (${appendToChangeLog}),
    actor AS (
      UPDATE users u SET civic_points = u.civic_points + ${step * pointsFor.vote}::integer,
        revision = u.revision + 1, summary_revision = u.summary_revision + 1
      FROM issue WHERE u.id = issue.user_id AND NOT issue.is_secret),
    event AS (${insertEvent({ type: event, subject_id: sql`issue.id`, actor_id: sql`issue.user_id`, from: sql`issue`, request_id })})
    SELECT i.moderation_state, EXISTS (SELECT FROM voter) AS has_voter, EXISTS (SELECT FROM changed_vote) AS is_changed
    FROM issues i WHERE i.id = ${issue_id} AND ${issueReadableBy(by)}`),
  )
  if (!issue) throw problems.notFound('the_issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  if (!issue.has_voter) throw problems.loginNeeded()
  return issue.is_changed
}

export const voteRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  tagRoutes(app, 'Issues')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/issues/:id/vote',
    {
      schema: {
        operationId: 'voteForIssue',
        summary: 'Vote for an issue',
        description:
          'Without a body. Each vote raises the `rating` by one; a second vote of the same user changes nothing. Archived issues can be voted for, too.',
        params: IssueParams,
        response: { 201: VoteResponse, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const input = { issue_id: request.params.id, by: requireViewer(request), now: clock(), request_id: request.id }
      const writes = limitIssueWrites(db, input.issue_id)
      const cast = async (queryable: Queryable) => {
        await castVote(queryable, input)
        return { vote: 1 } as const
      }
      return reply
        .code(201)
        .send(await (request.idempotency ? idempotent(request, writes, cast) : writes.retryWithoutTransaction(cast)))
    },
  )

  addDeletion(app, {
    path: '/issues/:id/vote',
    operationId: 'withdrawVote',
    summary: 'Withdraw your vote for an issue',
    description: 'Returns 422 if you have not voted.',
    params: IssueParams,
    done: 'The vote is deleted.',
    act: (by, { id }, request) =>
      limitIssueWrites(db, id).retryWithoutTransaction((queryable) =>
        withdrawVote(queryable, { issue_id: id, by, request_id: request.id }),
      ),
  })
}
