import Type, { type Static } from 'typebox'
import { stringEnum, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type Viewer, requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { issueReadableBy } from '../issue-lifecycle/access.ts'
import { NOT_PUBLIC, limitIssueChanges } from '../issue-lifecycle/lock-issue.ts'
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

interface Vote {
  readonly issue_id: number
  readonly by: Viewer
  readonly request_id: string
}

const VoteRow = Type.Object({
  moderation_state: stringEnum(moderationStates),
  has_voter: Type.Boolean(),
  is_changed: Type.Boolean(),
})
type VoteRow = Static<typeof VoteRow>

/**
 * Adds a vote, increments the count, adds civic points and records the event. Returns undefined if the voter may not read the issue; `is_changed` is
 * false if the voter has already voted or the issue is not public, `has_voter` if the account was deleted meanwhile. `updated_at` stays, because lists that are sorted by it must not change with every vote.
 */
const addVote = (db: Queryable, vote: Vote & { readonly now: Date }): Promise<VoteRow | undefined> =>
  changeVote(db, vote, {
    step: 1,
    event: 'issue.voted',
    change: sql`
      INSERT INTO votes (issue_id, user_id, created_at)
      SELECT i.id, voter.id, ${vote.now.toISOString()}::timestamptz
      FROM voter JOIN issues i ON i.id = ${vote.issue_id} AND i.moderation_state = 'passed'
      ON CONFLICT (issue_id, user_id) DO NOTHING
      RETURNING votes.issue_id, votes.user_id`,
  })

/** Deletes a vote and reverses its count and points. Returns the same as `addVote`. */
const removeVote = (db: Queryable, vote: Vote): Promise<VoteRow | undefined> =>
  changeVote(db, vote, {
    step: -1,
    event: 'issue.unvoted',
    change: sql`
      DELETE FROM votes v USING voter, issues i
      WHERE v.issue_id = ${vote.issue_id} AND v.user_id = voter.id AND i.id = v.issue_id AND i.moderation_state = 'passed'
      RETURNING v.issue_id, v.user_id`,
  })

interface VoteChange {
  readonly step: 1 | -1
  readonly event: 'issue.voted' | 'issue.unvoted'
  readonly change: Sql
}

/** Lock order: the voter, then the issue. A vote for one's own anonymous report gives no points, because a public number that changes would reveal the reporter. */
const changeVote = (db: Queryable, { issue_id, by, request_id }: Vote, { step, event, change }: VoteChange) =>
  db.query(
    prepared(sql.first(VoteRow)`
    WITH voter AS (SELECT u.id FROM users u WHERE u.id = ${by.id} FOR NO KEY UPDATE),
    vote AS (${change}),
    issue AS (
      UPDATE issues i SET vote_count = i.vote_count + ${step}::integer, ${publicChange}
      FROM vote WHERE i.id = vote.issue_id
      RETURNING i.id, i.cell, i.status, vote.user_id, (i.anonymous AND i.reporter_id = vote.user_id) IS TRUE AS is_secret),
    log AS (${appendToChangeLog}),
    actor AS (
      UPDATE users u SET civic_points = u.civic_points + ${step * pointsFor.vote}::integer, revision = u.revision + 1, summary_revision = u.summary_revision + 1
      FROM issue WHERE u.id = issue.user_id AND NOT issue.is_secret),
    event AS (${insertEvent({ type: event, subject_id: sql`issue.id`, actor_id: sql`issue.user_id`, from: sql`issue`, request_id })})
    SELECT i.moderation_state, EXISTS (SELECT FROM voter) AS has_voter, EXISTS (SELECT FROM vote) AS is_changed
    FROM issues i WHERE i.id = ${issue_id} AND ${issueReadableBy(by)}`),
  )

/**
 * Idempotent. One statement, so it needs no transaction. Archived issues can be voted for, too.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public, 401 if the account was deleted meanwhile
 */
export async function castVote(db: Queryable, vote: Vote & { readonly now: Date }): Promise<void> {
  assertPublic(await addVote(db, vote))
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or there is no vote, 401 if the account was deleted meanwhile */
export async function withdrawVote(db: Queryable, vote: Vote): Promise<void> {
  const isChanged = assertPublic(await removeVote(db, vote))
  if (!isChanged) throw problems.invalid({ base: text('not_voted_for_issue') })
}

function assertPublic(issue: VoteRow | undefined): boolean {
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
      const changes = limitIssueChanges(db, input.issue_id)
      const vote = async (queryable: Queryable) => {
        await castVote(queryable, input)
        return { vote: 1 } as const
      }
      const voted = await (request.idempotency ? idempotent(request, changes, vote) : changes.withoutTransaction(vote))
      return reply.code(201).send({ vote: voted.vote })
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
      limitIssueChanges(db, id).withoutTransaction((queryable) =>
        withdrawVote(queryable, { issue_id: id, by, request_id: request.id }),
      ),
  })
}
