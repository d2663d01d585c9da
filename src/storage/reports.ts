import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { FileStore } from './file-store.ts'

/** Commands whose last success is recorded where all machines can read it. */
export const reportNames = ['backup', 'drill'] as const
export type ReportName = (typeof reportNames)[number]

const keyOf = (name: ReportName) => `operations/${name}`

/** @param folder a folder for a temporary file */
export async function storeReport(files: FileStore, name: ReportName, folder: string): Promise<void> {
  const path = join(folder, 'report')
  await writeFile(path, new Date().toISOString())
  await files.put(keyOf(name), path, 'text/plain')
}

/** Returns the seconds since the last success, or undefined if there was none. */
export async function findReportAge(files: FileStore, name: ReportName): Promise<number | undefined> {
  const file = await files.open(keyOf(name))
  return file && (Date.now() - Date.parse(await text(file.stream))) / 1_000
}
