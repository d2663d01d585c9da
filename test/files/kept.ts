import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

import { keepPicture } from '../../src/files/keep-picture.ts'
import { addMedium, type NewMedium } from '../../src/files/media-queries.ts'
import type { FileStore } from '../../src/files/store.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import type { TestApp } from '../helpers/use-app.ts'

export const redPicture = (width = 30, height = 20) => sharp({ create: { width, height, channels: 3, background: 'red' } }).png()

/** A file as it was uploaded. */
export function uploaded(bytes: Buffer): { path: string } {
  const path = join(temporaryFolder(), 'upload')
  writeFileSync(path, bytes)
  return { path }
}

/** Keeps a small picture and names it, as a report or comment does. */
export async function givenPicture(
  { db, services }: Pick<TestApp, 'db'> & { services: { files: FileStore } },
  medium: Pick<NewMedium, 'issue_id'> & Partial<NewMedium>,
): Promise<{ id: number; key: string; bytes: number }> {
  const kept = await keepPicture(services.files, uploaded(await redPicture().toBuffer()))
  const id = await db.transaction((tx) => addMedium(tx, { comment_id: null, ...kept, ...medium }))
  return { id, key: kept.full_key, bytes: kept.bytes }
}
