import Type, { type Static } from 'typebox'

import { Id, IdRow, nullable, stringEnum, Timestamp, type PrismaHandle, sql, type Transaction } from '../../database/database.ts'
import { moderationStates, statuses } from '../../issue-lifecycle/status.ts'
import { pointsFor } from '../../users/rules.ts'

interface Merge {
  readonly issue_id: number
  readonly into_id: number
}

export const CarriedVote = Type.Object({ user_id: Id, created_at: Timestamp })
export type CarriedVote = Static<typeof CarriedVote>

/** Returns the merge of a duplicate that is not undone. */
export const findMerge = ({ prisma }: PrismaHandle, issue_id: number) =>
  prisma.issueMerge.findFirst({ where: { issue_id, undone_at: null } })

const DUPLICATES_MAX = 100

/** Returns the public issues that are merged into this one, the oldest merge first. */
export const listDuplicates = ({ prisma }: PrismaHandle, into_id: number) =>
  prisma.issueMerge.findMany({
    where: { into_id, undone_at: null, issue: { moderation_state: 'passed' } },
    select: { issue_id: true, merged_at: true },
    orderBy: { id: 'asc' },
    take: DUPLICATES_MAX,
  })

const LockedIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  moderation_state: stringEnum(moderationStates),
  locale: Type.String(),
  /** The issue into which this one is merged. */
  into_id: nullable(Id),
  has_duplicates: Type.Boolean(),
})
export type LockedIssue = Static<typeof LockedIssue>

/** Locks users by id, then both issues by id, and returns the ids of the users and the issues. */
export async function lockMerge(
  tx: Transaction,
  { issue_id, into_id }: Merge,
  userIds: readonly number[],
): Promise<{ readonly users: readonly number[]; readonly issue: LockedIssue | undefined; readonly into: LockedIssue | undefined }> {
  const users = await tx.query(sql.type(IdRow)`
    SELECT u.id FROM users u
    WHERE u.id = ANY(${userIds}::integer[]) OR u.id IN (
      SELECT v.user_id FROM votes v WHERE v.issue_id = ${issue_id} UNION SELECT f.user_id FROM follows f WHERE f.issue_id = ${issue_id})
    ORDER BY u.id FOR NO KEY UPDATE`)
  const ids = [issue_id, into_id]
  await tx.execute(sql`SELECT i.id FROM issues i WHERE i.id = ANY(${ids}::integer[]) ORDER BY i.id FOR NO KEY UPDATE`)
  const issues = await tx.query(sql.type(LockedIssue)`
    SELECT i.id, i.status, i.moderation_state, i.locale,
      (SELECT m.into_id FROM issue_merges m WHERE m.issue_id = i.id AND m.undone_at IS NULL) AS into_id,
      EXISTS (SELECT FROM issue_merges m WHERE m.into_id = i.id AND m.undone_at IS NULL) AS has_duplicates
    FROM issues i WHERE i.id = ANY(${ids}::integer[])`)
  return {
    users: users.map(({ id }) => id),
    issue: issues.find(({ id }) => id === issue_id),
    into: issues.find(({ id }) => id === into_id),
  }
}

/** Adds the followers of the duplicate to the other issue, except those who muted it, and returns them. Requires `lockMerge`. */
export async function carryFollowers(
  tx: Transaction,
  { issue_id, into_id }: Merge,
  users: readonly number[],
  now: Date,
): Promise<number[]> {
  const carried = await tx.query(sql.type(IdRow)`
    INSERT INTO follows (issue_id, user_id, created_at)
    SELECT ${into_id}::integer, f.user_id, ${now.toISOString()}::timestamptz FROM follows f
    WHERE f.issue_id = ${issue_id} AND f.user_id = ANY(${users}::integer[])
      AND NOT EXISTS (SELECT FROM issue_mutes muted WHERE muted.issue_id = ${into_id} AND muted.user_id = f.user_id)
    ORDER BY f.user_id
    ON CONFLICT (issue_id, user_id) DO NOTHING
    RETURNING follows.user_id AS id`)
  return carried.map(({ id }) => id)
}

/** Deletes the follows that `carryFollowers` added. Those that users have added since stay. Requires `lockMerge`. */
export async function returnFollowers(tx: Transaction, into_id: number, users: readonly number[], mergedAt: Date): Promise<void> {
  await tx.prisma.follow.deleteMany({ where: { issue_id: into_id, user_id: { in: [...users] }, created_at: mergedAt } })
}

/**
 * Moves the votes of the duplicate to the other issue and returns them. Votes of users who have voted for both stay where they are, and so do those
 * of an anonymous reporter, which give no civic points. Requires `lockMerge`.
 */
export const carryVotes = (tx: Transaction, { issue_id, into_id }: Merge, users: readonly number[]): Promise<CarriedVote[]> =>
  tx.query(sql.type(CarriedVote)`
    WITH moved AS (
      DELETE FROM votes v
      WHERE v.issue_id = ${issue_id} AND v.user_id = ANY(${users}::integer[])
        AND NOT EXISTS (SELECT FROM votes other WHERE other.issue_id = ${into_id} AND other.user_id = v.user_id)
        AND NOT EXISTS (SELECT FROM issues i WHERE i.id IN (${issue_id}, ${into_id}) AND i.anonymous AND i.reporter_id = v.user_id)
      RETURNING v.user_id, v.created_at),
    carried AS (INSERT INTO votes (issue_id, user_id, created_at) SELECT ${into_id}::integer, moved.user_id, moved.created_at FROM moved),
    counted AS (
      UPDATE issues i SET vote_count = i.vote_count + CASE WHEN i.id = ${into_id} THEN changed.count ELSE - changed.count END
      FROM (SELECT count(*)::integer AS count FROM moved) changed
      WHERE i.id IN (${issue_id}, ${into_id}) AND changed.count > 0)
    SELECT moved.user_id, moved.created_at FROM moved ORDER BY moved.user_id`)

/**
 * Moves votes back. Those that users have withdrawn since do not come back. If a user has voted for the duplicate again, one vote is left, and its civic
 * points. Requires `lockMerge`.
 */
export async function returnVotes(tx: Transaction, { issue_id, into_id }: Merge, votes: readonly CarriedVote[]): Promise<void> {
  if (votes.length === 0) return
  await tx.execute(sql`
    WITH moved AS (
      DELETE FROM votes v
      USING unnest(${votes.map((vote) => vote.user_id)}::integer[], ${votes.map((vote) => vote.created_at)}::timestamptz[]) AS carried (user_id, created_at)
      WHERE v.issue_id = ${into_id} AND v.user_id = carried.user_id AND v.created_at = carried.created_at
      RETURNING v.user_id, v.created_at),
    returned AS (
      INSERT INTO votes (issue_id, user_id, created_at) SELECT ${issue_id}::integer, moved.user_id, moved.created_at FROM moved
      ON CONFLICT (issue_id, user_id) DO NOTHING
      RETURNING votes.user_id),
    repeated AS (
      UPDATE users u SET civic_points = u.civic_points - ${pointsFor.vote}::integer, revision = u.revision + 1, summary_revision = u.summary_revision + 1
      FROM moved WHERE u.id = moved.user_id AND NOT EXISTS (SELECT FROM returned WHERE returned.user_id = moved.user_id))
    UPDATE issues i SET vote_count = i.vote_count + CASE WHEN i.id = ${into_id} THEN - taken.count ELSE given.count END
    FROM (SELECT count(*)::integer AS count FROM moved) taken, (SELECT count(*)::integer AS count FROM returned) given
    WHERE i.id IN (${issue_id}, ${into_id})`)
}
