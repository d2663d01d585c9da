import { rm } from 'node:fs/promises'

import { cleanPicture, type Picture } from '../images/picture.ts'
import { type FileStore, newFileKey } from '../storage/file-store.ts'

export interface StoredPicture {
  readonly full_key: string
  readonly content_type: Picture['contentType']
  readonly bytes: number
  readonly width: number
  readonly height: number
}

export interface CleanPicture {
  readonly path: string
  readonly picture: Picture
}

/**
 * The new file is in the folder of the request and is deleted with it, even after a crash.
 * @throws PictureRefused if the picture is invalid or too large; Problem 503 if too many pictures are queued
 */
export async function cleanUpload(upload: { readonly path: string }): Promise<CleanPicture> {
  const path = `${upload.path}-clean`
  return { path, picture: await cleanPicture(upload.path, path) }
}

/**
 * Stores a clean picture. Call it before its row is written: the sweep deletes a file without a row, but a row without a file
 * would stay broken. Call it outside of any transaction, after the rest of the request was validated.
 * @throws StoreUnavailable (503) if the store is unavailable
 */
export async function storePicture(files: FileStore, { path, picture }: CleanPicture): Promise<StoredPicture> {
  const { contentType, extension, bytes, width, height } = picture
  const full_key = newFileKey(extension)
  await files.put(full_key, path, contentType)
  return { full_key, content_type: contentType, bytes, width, height }
}

/** Re-encodes and stores a picture. @throws PictureRefused, StoreUnavailable or Problem 503 */
export async function storeUploadedPicture(files: FileStore, upload: { readonly path: string }): Promise<StoredPicture> {
  const clean = await cleanUpload(upload)
  try {
    return await storePicture(files, clean)
  } finally {
    await rm(clean.path, { force: true })
  }
}
