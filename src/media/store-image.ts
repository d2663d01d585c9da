import { rm } from 'node:fs/promises'

import { decodeInTurn } from '../images/decoding-time.ts'
import { cleanImage, type Image, REPRESENTATIVE, shrinkImage, SQUARE } from '../images/image.ts'
import { type FileStore, newFileKey } from '../storage/file-store.ts'

export interface StoredImage {
  readonly full_key: string
  readonly content_type: Image['contentType']
  readonly bytes: number
  readonly width: number
  readonly height: number
}

export interface CleanImage {
  readonly path: string
  readonly image: Image
}

interface UploadedImage {
  readonly path: string
  /** A picture that was cleaned and stored before has none. */
  readonly client?: string | undefined
}

/**
 * The new file is in the folder of the request and is deleted with it, even after a crash.
 * @throws ImageRefused if the image is invalid or too large; Problem 503 if too many images are queued, 429 if the client has used up its decoding time
 */
export async function cleanUpload({ path: from, client }: UploadedImage): Promise<CleanImage> {
  const path = `${from}-clean`
  const image =
    client === undefined
      ? cleanImage(from, path, { isStored: true })
      : decodeInTurn(client, (timed) => cleanImage(from, path, { timed }))
  return { path, image: await image }
}

/**
 * Stores a clean image. Call it before its row is written: the job `delete-orphaned-files` deletes a file without a row, but a row without a file
 * would stay broken. Call it outside of any transaction, after the rest of the request was validated.
 * @throws StoreUnavailable (503) if the store is unavailable
 */
export async function storeImage(files: FileStore, { path, image }: CleanImage): Promise<StoredImage> {
  const { contentType, extension, bytes, width, height } = image
  const full_key = newFileKey(extension)
  await files.put(full_key, path, contentType)
  return { full_key, content_type: contentType, bytes, width, height }
}

export interface StoredSizes extends StoredImage {
  readonly square_key: string
  readonly representative_key: string
}

/** Stores a clean image and its smaller sizes, which are written next to it. @throws StoreUnavailable, Problem 503 */
export async function storeAllSizes(files: FileStore, clean: CleanImage): Promise<StoredSizes> {
  const storeSmaller = async (size: { width: number; height?: number }) => {
    const [key, path] = [newFileKey('jpg'), `${clean.path}-small`]
    await shrinkImage(clean.path, path, size)
    await files.put(key, path, 'image/jpeg')
    return key
  }
  const [square_key, representative_key] = [await storeSmaller(SQUARE), await storeSmaller(REPRESENTATIVE)]
  return { ...(await storeImage(files, clean)), square_key, representative_key }
}

/** Re-encodes and stores an image. @throws ImageRefused, StoreUnavailable or Problem 503 */
export async function storeUploadedImage(files: FileStore, upload: UploadedImage): Promise<StoredImage> {
  const clean = await cleanUpload(upload)
  try {
    return await storeImage(files, clean)
  } finally {
    await rm(clean.path, { force: true })
  }
}
