import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pLimit from 'p-limit'

import { newFileKey, type FileStore } from '../../../src/storage/file-store.ts'
import type { ChosenPicture } from './choose-pictures.ts'
import { pictureFile, pictureName, PICTURE_SIZE, type Picture } from './kinds.ts'

export interface StoredPicture {
  readonly fullKey: string
  readonly squareKey: string
  readonly bytes: number
  readonly width: number
  readonly height: number
}

export type StoredPictures = readonly (Omit<ChosenPicture, 'picture'> & StoredPicture)[]

const CONCURRENCY = 8

/**
 * Draws the chosen pictures and stores files of its own for each issue, because a file belongs to one picture. If that fails, it says
 * why and returns none: the demo is complete without them.
 */
export async function storePictures(
  files: FileStore,
  chosen: readonly ChosenPicture[],
  say: (line: string) => void,
): Promise<StoredPictures> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-demo-'))
  try {
    // Another process draws them in parallel. It also keeps the SVG loader blocked in this one, see src/images/image.ts.
    const names = new Set(chosen.map(({ picture }) => pictureName(picture)))
    const script = fileURLToPath(new URL('draw-files.ts', import.meta.url))
    await promisify(execFile)(process.execPath, ['--no-warnings', script, folder, ...names])
    const limit = pLimit(CONCURRENCY)
    const stored = chosen.map(({ picture, ...subject }) =>
      limit(async () => ({ ...subject, ...(await storePicture(files, folder, picture)) })),
    )
    return await Promise.all(stored)
  } catch (error) {
    say(`The demo has no pictures: ${error instanceof Error ? error.message : String(error)}`)
    return []
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function storePicture(files: FileStore, folder: string, picture: Picture): Promise<StoredPicture> {
  const [full, square] = [join(folder, pictureFile(picture, 'full')), join(folder, pictureFile(picture, 'square'))]
  const [fullKey, squareKey] = [newFileKey('jpg'), newFileKey('jpg')]
  await files.put(fullKey, full, 'image/jpeg')
  await files.put(squareKey, square, 'image/jpeg')
  return { fullKey, squareKey, bytes: (await stat(full)).size, ...PICTURE_SIZE }
}
