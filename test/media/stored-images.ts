import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { storeUploadedImage } from '../../src/media/store-image.ts'
import { addImage, type NewImage } from '../../src/media/queries.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import type { Services } from '../../src/services.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

export const redImage = (width = 30, height = 20) => sharp({ create: { width, height, channels: 3, background: 'red' } }).png()

export function uploadedFile(bytes: Buffer): { path: string } {
  const path = join(createTemporaryFolder(), 'upload')
  writeFileSync(path, bytes)
  return { path }
}

export async function createImage(
  { db, services }: Pick<TestApp, 'db'> & { services: { files: FileStore } },
  image: Pick<NewImage, 'issue_id'> & Partial<NewImage>,
): Promise<{ id: number; key: string; bytes: number }> {
  // The scenarios of suites create images outside of a test, so the folder is not one of a test.
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  const path = join(folder, 'upload')
  await redImage().toFile(path)
  const stored = await storeUploadedImage(services.files, { path }).finally(() => rmSync(folder, { recursive: true }))
  const id = await db.transaction((tx) => addImage(tx, { comment_id: null, ...stored, ...image }))
  return { id, key: stored.full_key, bytes: stored.bytes }
}

/** Runs all pending deliveries of images, as a worker does. */
export async function shrinkAll({ db, services }: Pick<TestApp, 'db'> & { services: Services }): Promise<void> {
  const pending = await queryRows<{ event_id: number; handler: string }>(
    db,
    sql`
    SELECT e.event_id, e.handler FROM outbox_deliveries e
    WHERE e.delivered_at IS NULL AND e.handler IN ('create-smaller-images', 'create-square-avatar') ORDER BY e.event_id, e.handler`,
  )
  const queue = { enqueue: () => Promise.resolve('') }
  for (const delivery of pending) await deliver(delivery, { ...services, queue }, new AbortController().signal)
}

export const listKeys = async (files: FileStore) => (await Array.fromAsync(files.list())).map(({ key }) => key).sort()
