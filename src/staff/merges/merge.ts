import Type, { type Static } from 'typebox'
import { Id, IdRow, nullable, stringEnum, Timestamp, type PrismaHandle, sql, type Transaction } from '../../database/database.ts'
import { moderationStates, statuses, IssueParams } from '../../issue-lifecycle/status.ts'
import { pointsFor } from '../../users/rules.ts'
import { type CommentPublication, publishLocked } from '../../comments/publish-comment.ts'
import { problems } from '../../errors/problems.ts'
import { editIssue, type IssueEdit, requireIssueCapability, toEdit } from '../../issue-lifecycle/edit-issue.ts'
import { checkTransition, refusalMessage } from '../../issue-lifecycle/transitions.ts'
import { languageOf, text, textsIn } from '../../locales/texts.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requireLogin } from '../../http/auth/authentication.ts'
import { idempotent } from '../../http/idempotency/idempotency.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'
import type { Services } from '../../services.ts'
import { StaffIssue } from '../schema.ts'
import { readStaffIssue } from '../staff-issue.ts'

interface Merge {
  readonly issue_id: number
  readonly into_id: number
}

const CarriedVote = Type.Object({ user_id: Id, created_at: Timestamp })
type CarriedVote = Static<typeof CarriedVote>

/** Returns the merge of a duplicate that is not undone. */
const findMerge = ({ prisma }: PrismaHandle, issue_id: number) =>
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
async function lockMerge(
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
async function carryFollowers(
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
async function returnFollowers(tx: Transaction, into_id: number, users: readonly number[], mergedAt: Date): Promise<void> {
  await tx.prisma.follow.deleteMany({ where: { issue_id: into_id, user_id: { in: [...users] }, created_at: mergedAt } })
}

/**
 * Moves the votes of the duplicate to the other issue and returns them. Votes of users who have voted for both stay where they are, and so do those
 * of an anonymous reporter, which give no civic points. Requires `lockMerge`.
 */
const carryVotes = (tx: Transaction, { issue_id, into_id }: Merge, users: readonly number[]): Promise<CarriedVote[]> =>
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
async function returnVotes(tx: Transaction, { issue_id, into_id }: Merge, votes: readonly CarriedVote[]): Promise<void> {
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

type StaffEdit = Omit<IssueEdit, 'capability' | 'organization_id'>

/**
 * Closes an issue as a duplicate of another one, which gets its followers and votes; each user counts once. Lock order: users by id, then both issues by id.
 * @throws Problem of `editIssue`, 422 `{duplicate_of}` if the other issue is the same, unknown, not public, archived or a duplicate itself, `{base}` if the
 * issue cannot be closed, is merged already or has duplicates
 */
export async function mergeIssue(
  tx: Transaction,
  { duplicate_of: into_id, ...edit }: StaffEdit & { readonly duplicate_of: number },
): Promise<void> {
  const { issue_id, by, now } = edit
  const merge = { issue_id, into_id }
  await requireIssueCapability(tx, issue_id, by, 'work_on_issues')
  const { users, issue, into } = await lockMerge(tx, merge, [by.id])
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (locked) => {
    const refusal = refuse(issue, into)
    if (refusal) throw problems.invalid(refusal)
    if (!('to' in checkTransition('close', locked.status, 'employee')))
      throw problems.invalid({ base: refusalMessage('close', locked.status) })
    const [followers, votes] = [await carryFollowers(tx, merge, users, now), await carryVotes(tx, merge, users)]
    const data = { ...merge, from_status: locked.status, followers, votes, merged_by: by.id, merged_at: now }
    await tx.prisma.issueMerge.create({ data })
    return { log: { kind: 'merge', before: { duplicate_of: null }, after: { duplicate_of: into_id }, is_public: true } }
  })
  const locale = languageOf(issue?.locale ?? 'en')
  const comment_id = await publish(tx, edit, locale, {
    text: textsIn(locale)('mergeComment.merged', { number: `#${into_id}` }),
    transition: {
      ...{ name: 'close', from: status, to: 'Closed' },
      closing: { outcome: 'duplicate', passed_on_to: null, duplicate_of_id: into_id },
    },
  })
  await tx.prisma.issueMerge.updateMany({ where: { issue_id, undone_at: null }, data: { comment_id } })
}

/**
 * Undoes a merge: followers and votes that were carried go back, and the issue has its former status again unless that has changed since.
 * @throws Problem of `editIssue`, 422 `{base}` if the issue is not merged
 */
export async function unmergeIssue(tx: Transaction, edit: StaffEdit): Promise<void> {
  const { issue_id, by, now } = edit
  await requireIssueCapability(tx, issue_id, by, 'work_on_issues')
  const found = await findMerge(tx, issue_id)
  if (!found) throw problems.invalid({ base: text('issue_not_merged') })
  const carried = found.votes as unknown as CarriedVote[]
  const { issue } = await lockMerge(tx, found, [by.id, ...found.followers, ...carried.map(({ user_id }) => user_id)])
  const { status } = await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async () => {
    const { count } = await tx.prisma.issueMerge.updateMany({
      where: { id: found.id, undone_at: null },
      data: { undone_at: now, undone_by: by.id },
    })
    if (count === 0) throw problems.invalid({ base: text('issue_not_merged') })
    await returnFollowers(tx, found.into_id, found.followers, found.merged_at)
    await returnVotes(tx, found, carried)
    return { log: { kind: 'merge', before: { duplicate_of: found.into_id }, after: { duplicate_of: null }, is_public: true } }
  })
  const last = await tx.prisma.statusChange.findFirst({ where: { issue_id }, orderBy: { id: 'desc' } })
  const isUnchanged = status === 'Closed' && last !== null && last.comment_id !== null && last.comment_id === found.comment_id
  const locale = languageOf(issue?.locale ?? 'en')
  await publish(tx, edit, locale, {
    text: textsIn(locale)('mergeComment.undone', { number: `#${found.into_id}` }),
    transition: isUnchanged ? { name: 'open', from: 'Closed', to: found.from_status } : undefined,
  })
}

function refuse(issue: LockedIssue | undefined, into: LockedIssue | undefined) {
  if (!into || into.moderation_state !== 'passed' || into.id === issue?.id) return { duplicate_of: text('duplicate_of_unknown') }
  if (into.status === 'Archived') return { duplicate_of: text('duplicate_of_archived') }
  if (into.into_id !== null) return { duplicate_of: text('duplicate_of_duplicate', { number: `#${into.into_id}` }) }
  if (issue?.into_id) return { base: text('issue_merged_already', { number: `#${issue.into_id}` }) }
  return issue?.has_duplicates ? { base: text('issue_has_duplicates') } : undefined
}

/** Publishes the comment that explains the change to all users, and returns its id. */
async function publish(
  tx: Transaction,
  { issue_id, by, now, request_id }: StaffEdit,
  locale: string,
  { text: comment, transition }: { readonly text: string; readonly transition: CommentPublication['transition'] },
): Promise<number> {
  const { id } = await publishLocked(tx, {
    ...{ issue_id, commenter_id: by.id, transition, now, request_id },
    comment: { commenter_id: by.id, comment, video_url: null, locale, device_id: null, created_at: now },
  })
  return id
}

const response = { 200: StaffIssue, ...failsWith(400, 404, 412, 413, 415, 422, 428) }

const NewMerge = Type.Object(
  { duplicate_of: { ...Id, description: 'The public issue that this one repeats.' } },
  { title: 'NewMerge' },
)

const steps = [
  {
    step: 'merge',
    operationId: 'mergeIssue',
    summary: 'Close an issue as a duplicate, and carry its followers and votes',
    description:
      'With `If-Match`. The other issue gets the followers and votes; each user counts once. It is public, not archived and no duplicate itself. A public comment links it. Needs `work_on_issues`.',
    body: NewMerge,
    work: mergeIssue,
  },
  {
    step: 'unmerge',
    operationId: 'unmergeIssue',
    summary: 'Undo the merge of an issue',
    description:
      'With `If-Match`. What was carried goes back, and the issue has its former status again unless that has changed since. Needs `work_on_issues`.',
    body: undefined,
    work: unmergeIssue,
  },
] as const

export const mergeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Staff')
  app.addHook('onRequest', requireLogin)
  for (const { step, body, work, ...texts } of steps)
    app.post(
      `/issues/:id/${step}`,
      { schema: { ...texts, params: IssueParams, ...(body && { body }), response } },
      async (request) => {
        const { id } = request.params
        const { duplicate_of = 0 } = (request.body ?? {}) as Partial<Static<typeof NewMerge>>
        const input = { issue_id: id, duplicate_of, ...toEdit(request, clock()) }
        await idempotent(request, limitIssueWrites(db, id), async (tx) => {
          await work(tx, input)
          return { id }
        })
        return readStaffIssue(db, id, input.by, urls)
      },
    )
}
