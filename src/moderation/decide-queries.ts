import { empty, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Move } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { pointsFor } from '../users/rules.ts'
import { authorOfItem } from './subject-texts.ts'
import type { SubjectType } from '../content-policy/subject-types.ts'

export type ModerationState = 'passed' | 'held' | 'rejected'

export interface LockedItem {
  readonly id: number
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly state: 'held' | 'approved' | 'rejected'
  readonly reasons: readonly string[]
  readonly requested_move: Move | null
  readonly decided_by: number | null
  readonly author_id: number | null
}

/**
 * Locks an item for a decision: first the row of the issue or the question that it is about, as everybody who acts on one does (a flag that
 * comes in this moment holds that row and waits for the item), then the item. Undefined where there is none.
 */
export async function lockItem(tx: Transaction, id: number): Promise<LockedItem | undefined> {
  await tx.query(sql`
    SELECT i.id FROM issues i
    WHERE i.id = (
      SELECT CASE m.subject_type WHEN 'issue' THEN m.subject_id
        WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = m.subject_id) END
      FROM moderation_items m WHERE m.id = ${id})
    FOR NO KEY UPDATE`)
  await tx.query(sql`
    SELECT q.id FROM questions q
    WHERE q.id = (
      SELECT CASE m.subject_type WHEN 'question' THEN m.subject_id
        WHEN 'answer' THEN (SELECT a.question_id FROM answers a WHERE a.id = m.subject_id) END
      FROM moderation_items m WHERE m.id = ${id})
    FOR NO KEY UPDATE`)
  const [item] = await tx.query<LockedItem>(sql`
    SELECT m.id, m.subject_type, m.subject_id, m.state, m.reasons, m.requested_move, m.decided_by, ${authorOfItem} AS author_id
    FROM moderation_items m WHERE m.id = ${id} FOR UPDATE`)
  return item
}

/** Who decided, by name; undefined where the account is gone, or nobody did. */
export async function findDecider(tx: Transaction, item: LockedItem): Promise<string | undefined> {
  const [decider] = await tx.query<{ name: string }>(sql`SELECT u.name FROM users u WHERE u.id = ${item.decided_by}::integer`)
  return decider?.name
}

export interface Decision {
  readonly state: 'approved' | 'rejected'
  readonly decided_by: number | null
  readonly rejection_reason: string | null
  readonly at: Date
}

export async function closeItem(tx: Transaction, id: number, decision: Decision): Promise<void> {
  await tx.query(sql`
    UPDATE moderation_items m
    SET state = ${decision.state}, decided_by = ${decision.decided_by}::integer, decided_at = ${decision.at.toISOString()}::timestamptz,
      rejection_reason = ${decision.rejection_reason}::text
    WHERE m.id = ${id} RETURNING m.id`)
}

export async function writeNote(tx: Transaction, id: number, note: string): Promise<void> {
  await tx.query(sql`UPDATE moderation_items m SET note = ${note} WHERE m.id = ${id} AND m.state = 'held' RETURNING m.id`)
}

export interface IssueToDecideOn {
  readonly moderation_state: ModerationState
  readonly reporter_id: number | null
}

export async function findIssueToDecideOn(tx: Transaction, id: number): Promise<IssueToDecideOn | undefined> {
  const [issue] = await tx.query<IssueToDecideOn>(sql`
    SELECT i.moderation_state, i.reporter_id FROM issues i WHERE i.id = ${id}`)
  return issue
}

export interface CommentToDecideOn {
  readonly moderation_state: ModerationState
  readonly issue_id: number
  readonly commenter_id: number | null
  readonly issue_status: Status
  readonly issue_state: ModerationState
}

export async function findCommentToDecideOn(tx: Transaction, id: number): Promise<CommentToDecideOn | undefined> {
  const [comment] = await tx.query<CommentToDecideOn>(sql`
    SELECT c.moderation_state, c.issue_id, c.commenter_id, i.status AS issue_status, i.moderation_state AS issue_state
    FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.id = ${id}`)
  return comment
}

/** What a moderator writes instead of the author's texts; what is not there stays. */
export interface Edits {
  readonly summary?: string | undefined
  /** Null takes it away. */
  readonly description?: string | null | undefined
  readonly address?: string | undefined
  readonly comment?: string | undefined
  readonly question?: string | undefined
  readonly answer?: string | undefined
}

const written = (column: Sql, text: string | null | undefined) => (text === undefined ? empty : sql`, ${column} = ${text}`)

const editsOfIssue = ({ summary, description, address }: Edits) => sql`
  ${written(sql`summary`, summary)}${written(sql`description`, description)}${written(sql`address`, address)}`

/** Everything that a report which passes has at once (`insertIssue`), as of now. */
export async function publishIssue(tx: Transaction, id: number, at: Date, edits: Edits): Promise<void> {
  const now = at.toISOString()
  await tx.query(sql`
    UPDATE issues i
    SET moderation_state = 'passed', created_at = ${now}::timestamptz, updated_at = ${now}::timestamptz${editsOfIssue(edits)}
    WHERE i.id = ${id} RETURNING i.id`)
  await tx.query(sql`
    UPDATE status_changes s SET created_at = ${now}::timestamptz
    WHERE s.issue_id = ${id} AND s.from_status IS NULL RETURNING s.id`)
  await tx.query(sql`
    INSERT INTO follows (issue_id, user_id, created_at)
    SELECT i.id, i.reporter_id, ${now}::timestamptz FROM issues i WHERE i.id = ${id} AND i.reporter_id IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING follows.issue_id`)
  await tx.query(sql`
    UPDATE users u SET civic_points = u.civic_points + ${pointsFor.report}
    WHERE u.id = (SELECT i.reporter_id FROM issues i WHERE i.id = ${id} AND NOT i.anonymous) RETURNING u.id`)
}

/** What is public already, and stays. */
export async function editIssue(tx: Transaction, id: number, at: Date, edits: Edits): Promise<void> {
  await tx.query(sql`
    UPDATE issues i SET updated_at = greatest(i.updated_at, ${at.toISOString()}::timestamptz)${editsOfIssue(edits)}
    WHERE i.id = ${id} RETURNING i.id`)
}

/** The text alone; what follows when a comment shows is the matter of `publishComment`. */
export async function showComment(tx: Transaction, id: number, at: Date, { comment }: Edits): Promise<void> {
  const now = at.toISOString()
  await tx.query(sql`
    UPDATE comments c
    SET moderation_state = 'passed', created_at = ${now}::timestamptz, updated_at = ${now}::timestamptz${written(sql`comment`, comment)}
    WHERE c.id = ${id} RETURNING c.id`)
}

export async function editComment(tx: Transaction, id: number, at: Date, { comment }: Edits): Promise<void> {
  await tx.query(sql`
    UPDATE comments c SET updated_at = greatest(c.updated_at, ${at.toISOString()}::timestamptz)${written(sql`comment`, comment)}
    WHERE c.id = ${id} RETURNING c.id`)
}

/**
 * Hides an issue for good. Its points are taken back where it gave any, which the event of its publication tells: an imported one gave none,
 * and neither did one without a name. So are those for what others wrote under it and for their votes, since these show nowhere any more.
 */
export async function hideIssue(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`UPDATE issues i SET moderation_state = 'rejected' WHERE i.id = ${id} RETURNING i.id`)
  await tx.query(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - ${pointsFor.report}, least(u.civic_points, 0))
    WHERE u.id = (SELECT i.reporter_id FROM issues i WHERE i.id = ${id} AND NOT i.anonymous)
      AND EXISTS (SELECT FROM events v WHERE v.subject_type = 'issue' AND v.subject_id = ${id} AND v.type = 'issue.reported')
    RETURNING u.id`)
  await tx.query(sql`
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
    WHERE u.id = p.user_id RETURNING u.id`)
}

/** Whether a comment gave points, by itself or with a change of status, which an event tells. */
const isPublished = (commentId: Sql, issueId: number) => sql`
  (EXISTS (SELECT FROM events v WHERE v.subject_type = 'comment' AND v.subject_id = ${commentId} AND v.type = 'comment.added')
    OR EXISTS (SELECT FROM events v WHERE v.subject_type = 'issue' AND v.subject_id = ${issueId}
      AND v.type IN ('issue.opened', 'issue.closed', 'issue.acknowledged') AND v.payload -> 'comment_id' = to_jsonb(${commentId})))`

/** The same of a comment, which was published by itself or with a change of status. What that changed stays: it is history. */
export async function hideComment(tx: Transaction, id: number, issueId: number): Promise<void> {
  await tx.query(sql`UPDATE comments c SET moderation_state = 'rejected' WHERE c.id = ${id} RETURNING c.id`)
  await tx.query(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - ${pointsFor.comment}, least(u.civic_points, 0))
    WHERE u.id = (SELECT c.commenter_id FROM comments c WHERE c.id = ${id})
      AND ${isPublished(sql`${id}::integer`, issueId)}
      -- Under a report that was rejected before, its points are taken back already.
      AND EXISTS (SELECT FROM issues i WHERE i.id = ${issueId} AND i.moderation_state = 'passed')
    RETURNING u.id`)
}
