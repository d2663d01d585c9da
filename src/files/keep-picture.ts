import { rm } from 'node:fs/promises'

import { atMost } from '../http/at-most.ts'
import { cleanPicture, type Picture } from './picture.ts'
import { type FileStore, newFileKey } from './store.ts'

/** What a row of `media` tells of its picture. */
export interface KeptPicture {
  readonly full_key: string
  readonly content_type: Picture['contentType']
  readonly bytes: number
  /** In pixels, upright. */
  readonly width: number
  readonly height: number
}

/** Two are decoded at a moment; whoever has waited for half a minute would rather try again than wait for ever. */
const PICTURES = { atOnce: 4, waitingMax: 40, waitMaxMs: 30_000 }

const onePicture = atMost(PICTURES)

/**
 * Cleans a picture that came in and stores it, before the row is written that names it: a file without a row is removed by the sweep,
 * a row without a file would be a dead link for ever. Call it when all else about the request is known to be right, outside of any
 * transaction. The upload itself stays where it is.
 * @throws PictureRefused when the content is no PNG, JPEG or GIF, is damaged, or has too many pixels
 * @throws StoreAway (503) when the store does not take it, Problem 503 when too many wait
 */
export function keepPicture(files: FileStore, upload: { readonly path: string }): Promise<KeptPicture> {
  return onePicture(async () => {
    // Beside the upload, so that it goes with the folder of the request, also where this process is killed.
    const clean = `${upload.path}-clean`
    try {
      const { contentType, extension, bytes, width, height } = await cleanPicture(upload.path, clean)
      const full_key = newFileKey(extension)
      await files.put(full_key, clean, contentType)
      return { full_key, content_type: contentType, bytes, width, height }
    } finally {
      await rm(clean, { force: true })
    }
  })
}
