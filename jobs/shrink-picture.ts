import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findFullKey, keepSmallerPictures } from '../src/files/media-queries.ts'
import { shrinkPicture } from '../src/files/picture.ts'
import { newFileKey } from '../src/files/store.ts'
import type { Effect } from './effects.ts'

/** In pixels; the names are those of the interface. */
const SQUARE = { width: 100, height: 100 }
const REPRESENTATIVE = { width: 640 }

/** Makes the smaller sizes of a picture. Until then its full size stands in for them. */
export const shrinkPictureOf: Effect = async ({ subject_id }, { db, files }) => {
  const full = await findFullKey(db, subject_id)
  if (full === undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-picture-'))
  try {
    const from = join(folder, 'full')
    if (!(await files.download(full, from))) return undefined
    const keep = async (size: { width: number; height?: number }) => {
      const key = newFileKey('jpg')
      await shrinkPicture(from, join(folder, 'small'), size)
      await files.put(key, join(folder, 'small'), 'image/jpeg')
      return key
    }
    const [square, representative] = [await keep(SQUARE), await keep(REPRESENTATIVE)]
    return (tx) => keepSmallerPictures(tx, subject_id, square, representative)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
