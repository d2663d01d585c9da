import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { FileStore } from './file-store.ts'
import { withTemporaryFolder } from './temporary-folders.ts'

/** Commands whose last success is recorded where all machines can read it. */
export const reportNames = ['backup', 'drill'] as const
export type ReportName = (typeof reportNames)[number]

/** It exists from a failover until `npm run verify` has read the database. */
export const FAILOVER_KEY = 'operations/failover'

const keyOf = (name: ReportName) => `operations/${name}`

export const storeReport = (files: FileStore, name: ReportName): Promise<void> =>
  storeText(files, keyOf(name), new Date().toISOString())

/** @throws StoreUnavailable */
export async function storeText(files: FileStore, key: string, content: string): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'text'), content)
    await files.put(key, join(folder, 'text'), 'text/plain')
  })
}

/** Returns the seconds since the last success, or undefined if there was none. */
export async function findReportAge(files: FileStore, name: ReportName): Promise<number | undefined> {
  const file = await files.open(keyOf(name))
  return file && (Date.now() - Date.parse(await text(file.stream))) / 1_000
}
