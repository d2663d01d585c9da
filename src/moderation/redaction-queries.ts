import Type, { type Static } from 'typebox'

import { Id, nullable } from '../database/columns.ts'
import { type Queryable, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { mayReadPrivateData } from '../issue-lifecycle/access.ts'
import type { StoredSizes } from '../media/store-image.ts'

const Picture = Type.Object({
  id: Id,
  issue_id: Id,
  comment_id: nullable(Id),
  full_key: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  /** True if the caller wrote the report or comment. */
  is_own: Type.Boolean(),
})
export type Picture = Static<typeof Picture>

/** Returns the picture with this key of its full size, unless it is a private answer that the moderator may not read. */
export async function findPicture(db: Queryable, fullKey: string, viewer: Viewer): Promise<Picture | undefined> {
  const [picture] = await db.query(sql.type(Picture)`
    SELECT m.id, m.issue_id, m.comment_id, m.full_key, m.width, m.height,
      coalesce(CASE WHEN m.comment_id IS NULL THEN i.reporter_id ELSE c.commenter_id END = ${viewer.id}, FALSE) AS is_own
    FROM media m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id
    WHERE m.full_key = ${fullKey} AND (NOT m.answer_kept_private OR coalesce(${mayReadPrivateData(viewer)}, FALSE))`)
  return picture
}

const OldKeys = Type.Object({
  full_key: Type.String(),
  square_key: nullable(Type.String()),
  representative_key: nullable(Type.String()),
})

/**
 * Replaces the files of a picture and returns the keys of the old ones; undefined if the picture was deleted or has other files by now.
 * The row of the picture is locked before its issue, as by the job that adds the smaller sizes.
 */
export async function replacePictureFiles(
  tx: Transaction,
  { id, issue_id, comment_id, full_key }: Picture,
  files: StoredSizes,
  now: Date,
): Promise<string[] | undefined> {
  const [old] = await tx.query(sql.type(OldKeys)`
    SELECT m.full_key, m.square_key, m.representative_key FROM media m WHERE m.id = ${id} AND m.full_key = ${full_key} FOR UPDATE`)
  if (!old) return undefined
  await tx.prisma.medium.update({ where: { id }, data: files, select: { id: true } })
  const timestamp = sql`${now.toISOString()}::timestamptz`
  if (comment_id === null) {
    // A picture that answers a question of the form is also the text of that answer.
    await tx.prisma.issueAnswer.updateMany({
      where: { issue_id, value: { path: ['file'], equals: full_key } },
      data: { answer: files.full_key, value: { file: files.full_key } },
    })
    await tx.execute(sql`UPDATE issues i SET updated_at = greatest(i.updated_at, ${timestamp}) WHERE i.id = ${issue_id}`)
  } else {
    await tx.execute(sql`UPDATE comments c SET updated_at = greatest(c.updated_at, ${timestamp}) WHERE c.id = ${comment_id}`)
  }
  return Object.values(old).filter((key) => key !== null)
}
