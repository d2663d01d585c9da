import { type Queryable, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { worksFor } from '../issue-lifecycle/access.ts'
import type { KeptPicture } from './keep-picture.ts'

export interface NewMedium extends KeptPicture {
  readonly issue_id: number
  /** Null where it belongs to the report itself. */
  readonly comment_id: number | null
  /** Whether it answers a question of its own, and so is not the picture that stands for the issue. */
  readonly is_answer?: boolean
  /** Whether it answers a question whose answers are kept private: then it stands in no answer, and only staff may see it. */
  readonly answer_kept_private?: boolean
}

/** Names a picture that `keepPicture` has stored; its id is the subject of the event `medium.added`, which the caller records. */
export async function addMedium(tx: Transaction, medium: NewMedium): Promise<number> {
  const [added] = await tx.query<{ id: number }>(sql`
    INSERT INTO media (issue_id, comment_id, full_key, content_type, bytes, width, height, is_answer, answer_kept_private)
    VALUES (${medium.issue_id}, ${medium.comment_id}, ${medium.full_key}, ${medium.content_type}, ${medium.bytes}, ${medium.width},
      ${medium.height}, ${medium.is_answer ?? false}, ${medium.answer_kept_private ?? false})
    RETURNING media.id`)
  if (!added) throw new Error('no medium was written')
  return added.id
}

export interface PictureAccess {
  /** Whether everybody may see it, logged in or not. */
  readonly is_public: boolean
  /** Whether the caller may. */
  readonly is_visible: boolean
}

/**
 * Who may see the picture with this key: of a report or comment that is held or rejected its author and moderators, of an answer that is
 * kept private the staff of the organisation, of all else everybody. Undefined where no row names it.
 */
export async function findPictureAccess(db: Queryable, key: string, viewer: Viewer | null): Promise<PictureAccess | undefined> {
  const moderates = viewer?.isModerator ?? false
  const [access] = await db.query<PictureAccess>(sql`
    SELECT
      NOT m.answer_kept_private AND i.moderation_state = 'passed' AND (c.id IS NULL OR c.moderation_state = 'passed') AS is_public,
      (i.moderation_state = 'passed' OR ${moderates} OR coalesce(i.reporter_id = ${viewer?.id ?? null}::integer, FALSE))
        AND (c.id IS NULL OR c.moderation_state = 'passed' OR ${moderates} OR coalesce(c.commenter_id = ${viewer?.id ?? null}::integer, FALSE))
        AND (NOT m.answer_kept_private OR coalesce(${worksFor(viewer)}, FALSE)) AS is_visible
    FROM media m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id
    WHERE ${key} IN (m.full_key, m.square_key, m.representative_key)
    UNION ALL
    SELECT TRUE AS is_public, TRUE AS is_visible FROM users u WHERE ${key} IN (u.avatar_full, u.avatar_square)
    LIMIT 1`)
  return access
}

/** The picture of a medium as it was stored; undefined where the medium is gone. */
export async function findFullKey(db: Queryable, mediumId: number): Promise<string | undefined> {
  const [medium] = await db.query<{ full_key: string }>(sql`SELECT m.full_key FROM media m WHERE m.id = ${mediumId}`)
  return medium?.full_key
}

export async function keepSmallerPictures(
  tx: Transaction,
  mediumId: number,
  square: string,
  representative: string,
): Promise<void> {
  await tx.query(sql`
    UPDATE media m SET square_key = ${square}, representative_key = ${representative} WHERE m.id = ${mediumId} RETURNING m.id`)
}

/** Of these keys, the ones that no row names. */
export async function orphansAmong(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    SELECT given.key FROM unnest(${keys}::text[]) AS given (key)
    WHERE NOT EXISTS (SELECT FROM media m WHERE given.key IN (m.full_key, m.square_key, m.representative_key))
      AND NOT EXISTS (SELECT FROM users u WHERE given.key IN (u.avatar_full, u.avatar_square))
    ORDER BY given.key`)
  return rows.map(({ key }) => key)
}
