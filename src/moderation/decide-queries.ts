import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Prisma } from '../../prisma/generated/client.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { transitionNames } from '../issue-lifecycle/transitions.ts'
import { outcomes } from '../issue-lifecycle/status.ts'
import { pointsFor } from '../users/rules.ts'
import { itemAuthorId } from './subject-texts.ts'
import { reasons } from '../content-policy/policy.ts'
import { subjectTypes } from '../content-policy/schema.ts'
import { itemStates, mayDecide } from './item-queries.ts'

const RequestedClosing = Type.Object({
  outcome: nullable(stringEnum(outcomes)),
  passed_on_to: nullable(Type.String()),
  duplicate_of_id: nullable(Id),
})

const LockedItem = Type.Object({
  id: Id,
  subject_type: stringEnum(subjectTypes),
  subject_id: Id,
  state: stringEnum(itemStates),
  reasons: Type.Array(stringEnum(reasons)),
  requested_transition: nullable(stringEnum(transitionNames)),
  requested_closing: nullable(RequestedClosing),
  decided_by: nullable(Id),
  author_id: nullable(Id),
  may_decide: Type.Boolean(),
})
export type LockedItem = Static<typeof LockedItem>

/**
 * Lock order: the users whose points or public numbers the decision changes, by id, then the issue or question, then the item, because other changes and
 * flags lock them in this order.
 */
export async function lockItem(tx: Transaction, id: number, by: Viewer | null): Promise<LockedItem | undefined> {
  await tx.execute(sql`
    SELECT u.id FROM users u
    WHERE u.id IN (
      SELECT ${itemAuthorId} FROM moderation_items item WHERE item.id = ${id}
      UNION ALL
      SELECT participant.user_id
      FROM moderation_items item
      CROSS JOIN LATERAL (
        SELECT c.commenter_id AS user_id FROM comments c WHERE c.issue_id = item.subject_id
        UNION ALL SELECT v.user_id FROM votes v WHERE v.issue_id = item.subject_id
        UNION ALL SELECT f.user_id FROM follows f WHERE f.issue_id = item.subject_id
        UNION ALL SELECT s.actor_id FROM status_changes s WHERE s.issue_id = item.subject_id) participant
      WHERE item.id = ${id} AND item.subject_type = 'issue')
    ORDER BY u.id FOR NO KEY UPDATE`)
  await tx.execute(sql`
    SELECT i.id FROM issues i
    WHERE i.id = (
      SELECT CASE item.subject_type WHEN 'issue' THEN item.subject_id
        WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = item.subject_id) END
      FROM moderation_items item WHERE item.id = ${id})
    FOR NO KEY UPDATE`)
  await tx.execute(sql`
    SELECT q.id FROM questions q
    WHERE q.id = (
      SELECT CASE item.subject_type WHEN 'question' THEN item.subject_id
        WHEN 'answer' THEN (SELECT a.question_id FROM answers a WHERE a.id = item.subject_id) END
      FROM moderation_items item WHERE item.id = ${id})
    FOR NO KEY UPDATE`)
  return tx.query(sql.first(LockedItem)`
    SELECT item.id, item.subject_type, item.subject_id, item.state, item.reasons, item.requested_transition, item.requested_closing, item.decided_by, ${itemAuthorId} AS author_id,
      ${by ? mayDecide(by) : sql`TRUE`} AS may_decide
    FROM moderation_items item
    WHERE item.id = ${id}
    FOR UPDATE`)
}

export async function findName(tx: Transaction, id: number): Promise<string | undefined> {
  const user = await tx.prisma.user.findUnique({ where: { id }, select: { name: true } })
  return user?.name
}

export const closeItem = (tx: Transaction, id: number, data: Prisma.ModerationItemUncheckedUpdateInput) =>
  tx.prisma.moderationItem.update({ where: { id }, data })

export async function saveNote(tx: Transaction, id: number, note: string): Promise<void> {
  await tx.prisma.moderationItem.updateMany({ where: { id, state: 'held' }, data: { note } })
}

export const findIssueForDecision = (tx: Transaction, id: number) =>
  tx.prisma.issue.findUnique({ where: { id }, select: { moderation_state: true, reporter_id: true, updated_at: true } })

export const findCommentForDecision = (tx: Transaction, id: number) =>
  tx.prisma.comment.findUnique({
    where: { id },
    select: {
      moderation_state: true,
      issue_id: true,
      commenter_id: true,
      updated_at: true,
      issue: { select: { status: true, moderation_state: true } },
    },
  })

export interface Edits {
  readonly summary?: string
  readonly description?: string | null
  readonly address?: string
  readonly comment?: string
  readonly question?: string
  readonly answer?: string
  readonly name?: string
}

export interface DecisionContext {
  readonly item: LockedItem
  readonly now: Date
  readonly edits: Edits
  readonly request_id?: string | undefined
}

/** Publishes a report with the same effects as `insertIssue`, dated now. */
export async function publishIssue(tx: Transaction, id: number, now: Date, edits: Edits): Promise<void> {
  const { reporter_id, anonymous } = await tx.prisma.issue.update({
    where: { id },
    data: { moderation_state: 'passed', created_at: now, updated_at: now, ...edits },
    select: { reporter_id: true, anonymous: true },
  })
  await tx.prisma.statusChange.updateMany({ where: { issue_id: id, from_status: null }, data: { created_at: now } })
  if (reporter_id === null) return
  await tx.prisma.follow.createMany({ data: { issue_id: id, user_id: reporter_id, created_at: now }, skipDuplicates: true })
  if (anonymous) return
  await tx.prisma.user.updateMany({ where: { id: reporter_id }, data: { civic_points: { increment: pointsFor.report } } })
}

/** Returns the time of a change of a public text: `updated_at` never decreases. */
export const timeOfEdit = (now: Date, { updated_at }: { readonly updated_at: Date }): Date => (updated_at > now ? updated_at : now)

/** Reverses the points of the issue, its comments and its votes. Imported and anonymous reports gave no points. */
export async function hideIssue(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.issue.update({ where: { id }, data: { moderation_state: 'rejected' }, select: { id: true } })
  await tx.execute(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - ${pointsFor.report}, least(u.civic_points, 0))
    WHERE u.id = (SELECT i.reporter_id FROM issues i WHERE i.id = ${id} AND NOT i.anonymous)
      AND EXISTS (SELECT FROM events v WHERE v.subject_type = 'issue' AND v.subject_id = ${id} AND v.type = 'issue.reported')`)
  await tx.execute(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - p.points, least(u.civic_points, 0))
    FROM (
      SELECT g.user_id, sum(g.points)::integer AS points FROM (
        SELECT c.commenter_id AS user_id, ${pointsFor.comment}::integer AS points FROM comments c
        WHERE c.issue_id = ${id} AND c.moderation_state = 'passed' AND ${isPublished(sql`c.id`, id)}
        UNION ALL
        SELECT o.user_id, ${pointsFor.vote}::integer FROM votes o JOIN issues i ON i.id = o.issue_id
        WHERE o.issue_id = ${id} AND (i.anonymous AND i.reporter_id = o.user_id) IS NOT TRUE AND EXISTS (
          SELECT FROM events v WHERE v.subject_type = 'issue' AND v.subject_id = ${id} AND v.type = 'issue.voted' AND v.actor_id = o.user_id)) g
      GROUP BY g.user_id) p
    WHERE u.id = p.user_id`)
}

const isPublished = (commentId: Sql, issueId: number) => sql`
  (EXISTS (SELECT FROM events v WHERE v.subject_type = 'comment' AND v.subject_id = ${commentId} AND v.type = 'comment.added')
    OR EXISTS (SELECT FROM events v WHERE v.subject_type = 'issue' AND v.subject_id = ${issueId}
      AND v.type IN ('issue.reopened', 'issue.closed', 'issue.acknowledged') AND v.payload -> 'comment_id' = to_jsonb(${commentId})))`

/** Hides a comment permanently and reverses its points. Its status change stays in the history. */
export async function hideComment(tx: Transaction, id: number, issueId: number): Promise<void> {
  await tx.prisma.comment.update({ where: { id }, data: { moderation_state: 'rejected' }, select: { id: true } })
  await tx.execute(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - ${pointsFor.comment}, least(u.civic_points, 0))
    WHERE u.id = (SELECT c.commenter_id FROM comments c WHERE c.id = ${id})
      AND ${isPublished(sql`${id}::integer`, issueId)}
      -- The points of comments on a rejected report are already reversed.
      AND EXISTS (SELECT FROM issues i WHERE i.id = ${issueId} AND i.moderation_state = 'passed')`)
}
