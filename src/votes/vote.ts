import Type, { type Static } from 'typebox'

import { stringEnum, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { issueReadableBy } from '../issue-lifecycle/access.ts'
import { NOT_PUBLIC } from '../issue-lifecycle/lock-issue.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { appendToChangeLog, publicChange } from '../issue-lifecycle/version.ts'
import { text } from '../locales/texts.ts'
import { insertEvent } from '../outbox/queries.ts'
import { pointsFor } from '../users/rules.ts'

interface Vote {
  readonly issue_id: number
  readonly voter: Viewer
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
async function changeVote(db: Queryable, { issue_id, voter, request_id }: Vote, { step, event, change }: VoteChange) {
  const [row] = await db.query(
    prepared(sql.type(VoteRow)`
    WITH voter AS (SELECT u.id FROM users u WHERE u.id = ${voter.id} FOR NO KEY UPDATE),
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
    FROM issues i WHERE i.id = ${issue_id} AND ${issueReadableBy(voter)}`),
  )
  return row
}

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
