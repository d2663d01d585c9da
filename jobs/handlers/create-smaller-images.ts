import { join } from 'node:path'

import { findFullKey, setThumbnailKeys } from '../../src/media/queries.ts'
import { REPRESENTATIVE, shrinkImage, SQUARE } from '../../src/images/image.ts'
import { type FileStore, newFileKey } from '../../src/storage/file-store.ts'
import { withTemporaryFolder } from '../../src/storage/temporary-folders.ts'
import { findAvatarKey, saveSquareAvatar } from '../../src/accounts/avatar.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

/** Creates the smaller sizes of a picture. They are discarded if a moderator has redacted it meanwhile. */
export const createSmallerImages: DeliveryHandler = async ({ subject_id }, { db, files }) => {
  const full = await findFullKey(db, subject_id)
  if (full === undefined) return undefined
  return withResizer(files, full, async (storeResized) => {
    const [square, representative] = [await storeResized(SQUARE), await storeResized(REPRESENTATIVE)]
    return (tx) => setThumbnailKeys(tx, { id: subject_id, full_key: full }, square, representative)
  })
}

/** Creates the square size of an avatar. It is discarded if the avatar has changed again. */
export const createSquareAvatar: DeliveryHandler = async ({ subject_id }, { db, files }) => {
  const full = await findAvatarKey(db, subject_id)
  if (full === null) return undefined
  return withResizer(files, full, async (storeResized) => {
    const square = await storeResized(SQUARE)
    return (tx) => saveSquareAvatar(tx, subject_id, full, square)
  })
}

type StoreResized = (size: { width: number; height?: number }) => Promise<string>

/** Calls `work` with a function that stores the image in another size. Returns undefined if the image was deleted. */
function withResizer<Result>(
  files: FileStore,
  full: string,
  work: (storeResized: StoreResized) => Promise<Result>,
): Promise<Result | undefined> {
  return withTemporaryFolder(async (folder) => {
    const from = join(folder, 'full')
    if (!(await files.download(full, from))) return undefined
    return work(async (size) => {
      const key = newFileKey('jpg')
      await shrinkImage(from, join(folder, 'small'), size)
      await files.put(key, join(folder, 'small'), 'image/jpeg')
      return key
    })
  })
}
