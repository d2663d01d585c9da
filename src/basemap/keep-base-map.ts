import { copyFile, mkdir, rename, rm, writeFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Config } from '../config.ts'
import { baseMapFiles } from '../environment/base-map-choice.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { type Box } from '../geo/shapes.ts'
import { readExternalStyle } from './external-style.ts'
import {
  extractArchive,
  reasonOf,
  collectStreets,
  type NamedStreet,
  STREET_TILES_MAX,
  streetIndexPath,
  writeStreetIndex,
} from './extract-archive.ts'
import { SET_BASE_MAP } from './has-streets.ts'
import { openPmtiles } from './pmtiles-file.ts'

/* A base map is replaced by a rename, so that a failure keeps the one before and a running service keeps its open file. */

/** Copies a PMTiles file to the data folder. @throws UserFacingError if it is not suitable or there is no space */
export async function keepFile(dataDir: string, path: string, say: Say): Promise<void> {
  const streets = await check(path, path, say)
  await keepPmtiles(dataDir, async (part) => {
    await copyFile(path, part)
    return streets
  })
}

/** Copies the tiles of the bounds from a PMTiles file on a server. @throws UserFacingError if that fails */
export async function keepExtract(dataDir: string, { url, bounds }: { url: string; bounds: Box }, say: Say): Promise<void> {
  say(`Reading the directories of ${url} …`)
  await keepPmtiles(dataDir, async (part) => {
    await extractArchive({ url, bounds, path: part, onProgress: reportProgress(say) })
    return check(part, `The extract of ${url}`, say)
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
    await remove([files.pmtiles, streetIndexPath(files.pmtiles)])
  })
}

export async function forgetBaseMap(dataDir: string): Promise<void> {
  const { pmtiles, styleUrl } = baseMapFiles(dataDir)
  await remove([pmtiles, styleUrl, streetIndexPath(pmtiles)])
}

type Say = (line: string) => void

const remove = (paths: readonly string[]) => Promise.all(paths.map((path) => rm(path, { force: true })))

/** Checks a file and returns its streets; none if it has too many tiles. */
async function check(path: string, subject: string, say: Say): Promise<readonly NamedStreet[]> {
  const file = await openPmtiles(path, subject)
  try {
    const ids = await file.checkDirectories(STREET_TILES_MAX + 1)
    if (ids.length > STREET_TILES_MAX) {
      say('The file has too many tiles to collect its streets: the search finds places and addresses of issues only.')
      return []
    }
    const streets = await collectStreets(file, ids, (tiles) => say(`Collected the streets of ${tiles} of ${ids.length} tiles`))
    say(`The search of addresses has ${streets.length} ${streets.length === 1 ? 'street' : 'streets'}.`)
    return streets
  } finally {
    await file.close()
  }
}

async function keepPmtiles(dataDir: string, write: (path: string) => Promise<readonly NamedStreet[]>): Promise<void> {
  const { pmtiles, styleUrl } = baseMapFiles(dataDir)
  const part = `${pmtiles}.part`
  await withWritableFolder(dirname(pmtiles), async () => {
    try {
      const streets = await write(part)
      // Without a file of streets the search is smaller; one of another map would be wrong.
      await remove([streetIndexPath(pmtiles)])
      await rename(part, pmtiles)
      await writeStreetIndex(streetIndexPath(pmtiles), streets)
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

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Returns a line about the base map that a service with this configuration uses. */
export async function describeBaseMap({ basemapPmtiles, basemapStyleUrl }: Config, env: NodeJS.ProcessEnv): Promise<string> {
  const by = (variable: string) => (env[variable]?.trim() ? ` (set by ${variable}, which has priority over this command)` : '')
  if (basemapStyleUrl !== undefined) {
    return `Base map: the style ${basemapStyleUrl}${by('BASEMAP_STYLE_URL')}. Browsers of readers load it from its servers.`
  }
  if (basemapPmtiles === undefined)
    return `Base map: none. The demo draws streets of its own; other maps have none, so residents cannot find their spot. ${SET_BASE_MAP}`
  const file = await openPmtiles(basemapPmtiles, `${basemapPmtiles}${by('BASEMAP_PMTILES')}`)
  await file.close()
  const { size } = await stat(basemapPmtiles)
  const [west, south, east, north] = file.bounds
  return (
    `Base map: ${basemapPmtiles}${by('BASEMAP_PMTILES')}, ${megabytes(size)}, zoom ${file.minZoom} to ${file.maxZoom}, ` +
    `west ${west}, south ${south}, east ${east}, north ${north}.`
  )
}
