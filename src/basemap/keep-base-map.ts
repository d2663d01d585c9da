import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { baseMapFiles } from '../environment/base-map-choice.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import type { Box } from '../geo/box.ts'
import { readExternalStyle } from './external-style.ts'
import { extractArchive, reasonOf } from './extract-archive.ts'
import { openPmtiles } from './pmtiles-file.ts'

/* A base map is replaced by a rename, so that a failure keeps the one before and a running service keeps its open file. */

/** Copies a PMTiles file to the data folder. @throws UserFacingError if it is not suitable or there is no space */
export async function keepFile(dataDir: string, path: string): Promise<void> {
  await check(path, path)
  await keepPmtiles(dataDir, (part) => copyFile(path, part))
}

/** Copies the tiles of the bounds from a PMTiles file on a server. @throws UserFacingError if that fails */
export async function keepExtract(
  dataDir: string,
  { url, bounds }: { url: string; bounds: Box },
  say: (line: string) => void,
): Promise<void> {
  say(`Reading the directories of ${url} …`)
  await keepPmtiles(dataDir, async (part) => {
    await extractArchive({ url, bounds, path: part, onProgress: reportProgress(say) })
    await check(part, `The extract of ${url}`)
  })
}

/** Keeps the address of a MapLibre style. @throws UserFacingError if it cannot be read now */
export async function keepStyle(dataDir: string, url: string): Promise<void> {
  await readExternalStyle(url).catch((error: unknown) => {
    throw new UserFacingError(`The style at ${url} could not be read (${reasonOf(error as Error)}). Nothing was changed.`)
  })
  const files = baseMapFiles(dataDir)
  await withWritableFolder(dirname(files.styleUrl), async () => {
    await writeFile(`${files.styleUrl}.part`, `${url}\n`)
    await rename(`${files.styleUrl}.part`, files.styleUrl)
    await rm(files.pmtiles, { force: true })
  })
}

export async function forgetBaseMap(dataDir: string): Promise<void> {
  const { pmtiles, styleUrl } = baseMapFiles(dataDir)
  await Promise.all([pmtiles, styleUrl].map((path) => rm(path, { force: true })))
}

async function check(path: string, subject: string): Promise<void> {
  const file = await openPmtiles(path, subject)
  try {
    await file.checkDirectories()
  } finally {
    await file.close()
  }
}

async function keepPmtiles(dataDir: string, write: (path: string) => Promise<void>): Promise<void> {
  const { pmtiles, styleUrl } = baseMapFiles(dataDir)
  const part = `${pmtiles}.part`
  await withWritableFolder(dirname(pmtiles), async () => {
    try {
      await write(part)
      await rename(part, pmtiles)
      await rm(styleUrl, { force: true })
    } finally {
      await rm(part, { force: true })
    }
  })
}

async function withWritableFolder(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UserFacingError(
      `The base map could not be written (${error.message}). DATA_DIR must be a folder with enough space that this command may write to.`,
    )
  }
}

const REPORT_MS = 2_000

function reportProgress(say: (line: string) => void): (bytes: number, totalBytes: number) => void {
  let saidAt = 0
  return (bytes, totalBytes) => {
    if (Date.now() < saidAt + REPORT_MS && bytes < totalBytes) return
    saidAt = Date.now()
    say(`Copied ${megabytes(bytes)} of ${megabytes(totalBytes)} (${Math.floor((100 * bytes) / totalBytes)} %)`)
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
