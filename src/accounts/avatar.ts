import Type from 'typebox'

import { text } from '../locales/texts.ts'
import type { Database, Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { storeUploadedImage } from '../media/store-image.ts'
import { ImageRefused } from '../images/image.ts'
import type { FileStore } from '../storage/file-store.ts'
import { problems } from '../errors/problems.ts'
import { type Upload, UploadedFile } from '../http/request/upload.ts'

export const UploadedAvatar = Type.Unsafe<Upload | '' | null>({
  anyOf: [UploadedFile(), { type: 'string', maxLength: 0 }, { type: 'null' }],
  'x-allowed': text('uploaded_picture', { max: 20 }),
  description: 'The avatar. Blank or null removes the present one.',
})

/**
 * Call it before the transaction that saves the key. It returns null to remove the avatar, undefined if the field is missing.
 * @throws Problem 422 `{errors: {uploaded_data}}`; 503 if it cannot be stored now
 */
export async function storeAvatar(files: FileStore, upload: Upload | '' | null | undefined): Promise<string | null | undefined> {
  if (upload === undefined) return undefined
  if (upload === null || upload === '') return null
  try {
    return (await storeUploadedImage(files, upload)).full_key
  } catch (error) {
    if (error instanceof ImageRefused) throw problems.invalidErrors({ uploaded_data: [error.reason] })
    throw error
  }
}

/** Saves the key from `storeAvatar`. The full image replaces the square one until that exists. */
export async function setAvatar(tx: Transaction, userId: number, fileKey: string | null | undefined): Promise<void> {
  if (fileKey === undefined) return
  await tx.prisma.user.updateMany({ where: { id: userId }, data: { avatar_full: fileKey, avatar_square: null } })
  if (fileKey !== null) await recordEvent(tx, { type: 'user.avatar_changed', subject_id: userId, actor_id: userId })
}

export async function findAvatarKey(db: Database, userId: number): Promise<string | null> {
  const user = await db.prisma.user.findUnique({ where: { id: userId }, select: { avatar_full: true } })
  return user?.avatar_full ?? null
}

export async function saveSquareAvatar(tx: Transaction, userId: number, full: string, square: string): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id: userId, avatar_full: full }, data: { avatar_square: square } })
}
