import Type, { type Static } from 'typebox'

import { type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { commentReadableBy, issueReadableBy, mayReadPrivateData } from '../issue-lifecycle/access.ts'
import type { StoredImage } from './store-image.ts'

export interface NewImage extends StoredImage {
  readonly issue_id: number
  readonly comment_id: number | null
  /** True if the image answers an extra question of the report form. Lists then do not show it as the image of the issue. */
  readonly is_answer?: boolean
  /** True if the answers to that question are private: only staff of the organisation may see the image. */
  readonly answer_kept_private?: boolean
}

/** Adds the row of an image from `storeUploadedImage` and returns its id. The caller records the event `image.added`. */
export async function addImage(tx: Transaction, image: NewImage): Promise<number> {
  const { id } = await tx.prisma.medium.create({ data: image, select: { id: true } })
  return id
}

const ImageAccess = Type.Object({
  is_public: Type.Boolean(),
  is_visible: Type.Boolean(),
})
export type ImageAccess = Static<typeof ImageAccess>

/** Returns who may see an image; undefined if no row has the key. */
export const findImageAccess = (db: Queryable, key: string, viewer: Viewer | null): Promise<ImageAccess | undefined> =>
  db.query(sql.first(ImageAccess)`
    SELECT
      NOT m.answer_kept_private AND i.moderation_state = 'passed' AND (c.id IS NULL OR c.moderation_state = 'passed') AS is_public,
      ${issueReadableBy(viewer)} AND (c.id IS NULL OR ${commentReadableBy(viewer)})
        AND (NOT m.answer_kept_private OR coalesce(${mayReadPrivateData(viewer)}, FALSE)) AS is_visible
    FROM media m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id
    WHERE ${key} IN (m.full_key, m.square_key, m.representative_key)
    UNION ALL
    SELECT TRUE AS is_public, TRUE AS is_visible FROM users u WHERE ${key} IN (u.avatar_full, u.avatar_square)
    LIMIT 1`)

export async function findFullKey(db: Database, imageId: number): Promise<string | undefined> {
  const image = await db.prisma.medium.findUnique({ where: { id: imageId }, select: { full_key: true } })
  return image?.full_key
}

/** Changes nothing if the image no longer has this full key. */
export async function setThumbnailKeys(
  tx: Transaction,
  image: { readonly id: number; readonly full_key: string },
  square: string,
  representative: string,
): Promise<void> {
  await tx.prisma.medium.updateMany({ where: image, data: { square_key: square, representative_key: representative } })
}

const Key = Type.Object({ key: Type.String() })

export async function findOrphanedKeys(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const rows = await db.query(sql.type(Key)`
    SELECT k.key FROM unnest(${keys}::text[]) AS k (key)
    WHERE NOT EXISTS (SELECT FROM media m WHERE k.key IN (m.full_key, m.square_key, m.representative_key))
      AND NOT EXISTS (SELECT FROM users u WHERE k.key IN (u.avatar_full, u.avatar_square))
      AND NOT EXISTS (SELECT FROM report_draft_images d WHERE d.full_key = k.key)
    ORDER BY k.key`)
  return rows.map(({ key }) => key)
}
