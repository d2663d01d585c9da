import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pLimit from 'p-limit'

import { newFileKey, type FileStore } from '../../../src/storage/file-store.ts'
import { pictureFile, pictures, PICTURE_SIZE, type Picture } from './kinds.ts'

export interface StoredPicture {
  readonly fullKey: string
  readonly squareKey: string
  readonly bytes: number
  readonly width: number
  readonly height: number
}

/** The keys are from `pictureKey`. */
export type StoredPictures = ReadonlyMap<string, StoredPicture>

export const pictureKey = ({ kind, variant }: Picture): string => `${kind} ${variant}`

const CONCURRENCY = 8

/** Draws and stores all pictures. If that fails, it says why and returns none: the demo is complete without them. */
export async function storePictures(files: FileStore, say: (line: string) => void): Promise<StoredPictures> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-demo-'))
  try {
    // Another process draws them in parallel. It also keeps the SVG loader blocked in this one, see src/images/image.ts.
    await promisify(execFile)(process.execPath, ['--no-warnings', fileURLToPath(new URL('draw-all.ts', import.meta.url)), folder])
    const limit = pLimit(CONCURRENCY)
    const stored = await Promise.all(pictures.map((picture) => limit(() => storePicture(files, folder, picture))))
    return new Map(stored)
  } catch (error) {
    say(`The demo has no pictures: ${error instanceof Error ? error.message : String(error)}`)
    return new Map()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function storePicture(files: FileStore, folder: string, picture: Picture): Promise<[string, StoredPicture]> {
  const [full, square] = [join(folder, pictureFile(picture, 'full')), join(folder, pictureFile(picture, 'square'))]
  const [fullKey, squareKey] = [newFileKey('jpg'), newFileKey('jpg')]
  await files.put(fullKey, full, 'image/jpeg')
  await files.put(squareKey, square, 'image/jpeg')
  return [pictureKey(picture), { fullKey, squareKey, bytes: (await stat(full)).size, ...PICTURE_SIZE }]
}
