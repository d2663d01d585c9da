import Type from 'typebox'

import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { keepPicture } from '../media/keep-picture.ts'
import { PictureRefused } from '../images/picture.ts'
import type { FileStore } from '../storage/file-store.ts'
import { problems } from '../errors/problems.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'

/** The field of a form that brings the avatar. Forms and JSON without one may have it blank. */
export const UploadedAvatar = Type.Unsafe<Upload | '' | null>({
  anyOf: [UploadedFile(), { type: 'string', maxLength: 0 }, { type: 'null' }],
  'x-allowed': 'a PNG, JPEG or GIF picture of at most 20 MB, sent as multipart/form-data',
  description: 'The avatar. Where there is one, blank or null removes it.',
})

/**
 * Cleans and stores an avatar, before the transaction that names it.
 * @returns its key, null where the avatar is to be removed, undefined where nothing was given
 * @throws Problem 422 `{errors: {uploaded_data}}`; 503 where it cannot be kept now
 */
export async function keepAvatar(files: FileStore, given: Upload | '' | null | undefined): Promise<string | null | undefined> {
  if (given === undefined) return undefined
  if (given === null || given === '') return null
  try {
    return (await keepPicture(files, given)).full_key
  } catch (error) {
    if (error instanceof PictureRefused) throw problems.invalidErrors({ uploaded_data: [error.message] })
    throw error
  }
}

/** Names the avatar that `keepAvatar` has stored; the full picture stands in for the square until that exists. */
export async function setAvatar(tx: Transaction, userId: number, key: string | null | undefined): Promise<OwedEffect[]> {
  if (key === undefined) return []
  await tx.query(sql`UPDATE users u SET avatar_full = ${key}, avatar_square = NULL WHERE u.id = ${userId} RETURNING u.id`)
  return key === null ? [] : recordEvent(tx, { type: 'user.avatar_changed', subject_id: userId, actor_id: userId })
}

/** Null where there is none any more. */
export async function findAvatarKey(db: Queryable, userId: number): Promise<string | null> {
  const [user] = await db.query<{ avatar_full: string | null }>(sql`SELECT u.avatar_full FROM users u WHERE u.id = ${userId}`)
  return user?.avatar_full ?? null
}

/** Unless another avatar took its place meanwhile. */
export async function keepSquareAvatar(tx: Transaction, userId: number, full: string, square: string): Promise<void> {
  await tx.query(sql`
    UPDATE users u SET avatar_square = ${square} WHERE u.id = ${userId} AND u.avatar_full = ${full} RETURNING u.id`)
}
