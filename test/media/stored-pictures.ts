import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { storeUploadedPicture } from '../../src/media/store-picture.ts'
import { addMedium, type NewMedium } from '../../src/media/queries.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import type { Services } from '../../src/services.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

export const redPicture = (width = 30, height = 20) => sharp({ create: { width, height, channels: 3, background: 'red' } }).png()

/** A file as it was uploaded. */
export function uploadedFile(bytes: Buffer): { path: string } {
  const path = join(createTemporaryFolder(), 'upload')
  writeFileSync(path, bytes)
  return { path }
}

/** Keeps a small picture and names it, as a report or comment does. */
export async function createPicture(
  { db, services }: Pick<TestApp, 'db'> & { services: { files: FileStore } },
  medium: Pick<NewMedium, 'issue_id'> & Partial<NewMedium>,
): Promise<{ id: number; key: string; bytes: number }> {
  const kept = await storeUploadedPicture(services.files, uploadedFile(await redPicture().toBuffer()))
  const id = await db.transaction((tx) => addMedium(tx, { comment_id: null, ...kept, ...medium }))
  return { id, key: kept.full_key, bytes: kept.bytes }
}

/** Does all that is pending to pictures, as a worker would. */
export async function shrinkAll({ db, services }: Pick<TestApp, 'db'> & { services: Services }): Promise<void> {
  const pending = await queryRows<{ event_id: number; handler: string }>(
    db,
    sql`
    SELECT e.event_id, e.handler FROM outbox_deliveries e
    WHERE e.delivered_at IS NULL AND e.handler LIKE 'shrink-%' ORDER BY e.event_id, e.handler`,
  )
  const queue = { enqueue: () => Promise.resolve('') }
  for (const delivery of pending) await deliver(delivery, { ...services, queue }, new AbortController().signal)
}

export const listKeys = async (files: FileStore) => (await Array.fromAsync(files.list())).map(({ key }) => key).sort()
