import { type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'
import { ACCOUNT_AGE_S } from './rules.ts'

/** What is flagged. */
export interface Subject {
  readonly type: 'issue' | 'comment'
  readonly id: number
}

export interface FlaggedText {
  readonly author_id: number | null
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  /** As it stands now, by its fields. */
  readonly text: Readonly<Record<string, string | null>>
}

/** Who wrote it and what it says; for whoever may read it, which the caller has asked. */
export async function findFlaggedText(db: Queryable, { type, id }: Subject): Promise<FlaggedText | undefined> {
  const statement =
    type === 'issue'
      ? sql`
        SELECT i.reporter_id AS author_id, i.moderation_state,
          json_build_object('summary', i.summary, 'description', i.description, 'address', i.address) AS text
        FROM issues i WHERE i.id = ${id}`
      : sql`
        SELECT c.commenter_id AS author_id, c.moderation_state, json_build_object('comment', c.comment) AS text
        FROM comments c WHERE c.id = ${id}`
  const [found] = await db.query<FlaggedText>(statement)
  return found
}

const flagged = ({ type, id }: Subject): Sql => (type === 'issue' ? sql`f.issue_id = ${id}` : sql`f.comment_id = ${id}`)

export async function hasFlagged(db: Queryable, subject: Subject, { id }: Viewer): Promise<boolean> {
  const found = await db.query(sql`SELECT f.id FROM flags f WHERE ${flagged(subject)} AND f.user_id = ${id}`)
  return found.length > 0
}

export interface NewFlagRow {
  readonly subject: Subject
  readonly user_id: number
  readonly message: string
  readonly at: Date
}

/** The id of the flag; undefined where the user has flagged it before: nothing changes then. */
export async function addFlag(tx: Transaction, { subject, user_id, message, at }: NewFlagRow): Promise<number | undefined> {
  const { type, id } = subject
  const [added] = await tx.query<{ id: number }>(sql`
    INSERT INTO flags (issue_id, comment_id, user_id, message, created_at)
    VALUES (${type === 'issue' ? id : null}, ${type === 'comment' ? id : null}, ${user_id}, ${message}, ${at.toISOString()}::timestamptz)
    ON CONFLICT DO NOTHING
    RETURNING flags.id`)
  return added?.id
}

/**
 * How many flags count: of accounts that were old enough when they flagged, since a moderator last decided on it. What they looked at and
 * let stand needs as many new flags, of people who have not flagged it yet. The issue is locked, so nobody is counted twice or missed.
 */
export async function countFlags(tx: Transaction, subject: Subject): Promise<number> {
  const [counted] = await tx.query<{ flags: number }>(sql`
    SELECT count(*)::integer AS flags
    FROM flags f JOIN users u ON u.id = f.user_id
    WHERE ${flagged(subject)} AND u.created_at <= f.created_at - make_interval(secs => ${ACCOUNT_AGE_S})
      AND f.created_at > coalesce((
        SELECT max(m.decided_at) FROM moderation_items m
        WHERE m.subject_type = ${subject.type} AND m.subject_id = ${subject.id} AND m.state <> 'held'), '-infinity')`)
  return counted?.flags ?? 0
}
