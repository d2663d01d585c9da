import { rm } from 'node:fs/promises'

import { cleanPicture, type Picture } from '../images/picture.ts'
import { type FileStore, newFileKey } from '../storage/file-store.ts'

/** What a row of `media` tells of its picture. */
export interface KeptPicture {
  readonly full_key: string
  readonly content_type: Picture['contentType']
  readonly bytes: number
  /** In pixels, upright. */
  readonly width: number
  readonly height: number
}

/** A picture that came in, without anything else that its file had, beside the upload. */
export interface CleanPicture {
  readonly path: string
  readonly picture: Picture
}

/**
 * Cleans a picture that came in. The upload stays where it is, and so does what is written beside it: both go with the folder of the request,
 * also where this process is killed.
 * @throws PictureRefused when the content is no PNG, JPEG or GIF, is damaged, or is too much; Problem 503 when too many wait
 */
export async function cleanUpload(upload: { readonly path: string }): Promise<CleanPicture> {
  const path = `${upload.path}-clean`
  return { path, picture: await cleanPicture(upload.path, path) }
}

/**
 * Stores a clean picture, before the row is written that names it: a file without a row is removed by the sweep, a row without a file would
 * be a dead link for ever. Call it when all else about the request is known to be right, outside of any transaction.
 * @throws StoreAway (503) when the store does not take it
 */
export async function storePicture(files: FileStore, { path, picture }: CleanPicture): Promise<KeptPicture> {
  const { contentType, extension, bytes, width, height } = picture
  const full_key = newFileKey(extension)
  await files.put(full_key, path, contentType)
  return { full_key, content_type: contentType, bytes, width, height }
}

/** Both at once. @throws what either of them does */
export async function keepPicture(files: FileStore, upload: { readonly path: string }): Promise<KeptPicture> {
  const clean = await cleanUpload(upload)
  try {
    return await storePicture(files, clean)
  } finally {
    await rm(clean.path, { force: true })
  }
}
