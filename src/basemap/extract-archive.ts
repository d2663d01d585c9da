import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { open, readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import pLimit from 'p-limit'
import { PbfReader } from 'pbf'
import {
  type Entry,
  EtagMismatch,
  FetchSource,
  findTile,
  type Header,
  PMTiles,
  SharedPromiseCache,
  type Source,
  zxyToTileId,
  tileIdToZxy,
} from 'pmtiles'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { type Box, mercatorY, mercatorLatitude, type Point } from '../geo/shapes.ts'
import { checkEntry, DIRECTORY_DEPTH_MAX, loop, PART_BYTES_MAX, type ReadDirectory, readMetadata } from './check-archive.ts'
import { encodeArchiveStart } from './encode-archive.ts'
import type { PmtilesFile } from './pmtiles-file.ts'

interface Extract {
  /** Address of a PMTiles file on a server that knows range requests. */
  readonly url: string
  readonly bounds: Box
  /** The file that is written. */
  readonly path: string
  readonly onProgress: (bytes: number, totalBytes: number) => void
}

/** About five by five degrees at zoom 15. */
const TILES_MAX = 300_000
const BYTES_MAX = 4 * 1024 ** 3
const DIRECTORIES_MAX = 500
const ATTEMPTS = 3
const TIMEOUT_MS = 60_000
const PARALLEL = 4
/** Tiles are requested together unless more bytes lie between them. */
const GAP_BYTES = 64 * 1024
const RANGE_BYTES_MAX = 4 * 1024 * 1024

/**
 * Writes the tiles of the bounds as a PMTiles file of its own.
 * @throws UserFacingError if the file cannot be read, has no tiles there, or the extract would be too large
 */
export async function extractArchive({ url, bounds, path, onProgress }: Extract): Promise<void> {
  const source = withRetries(new FetchSource(url, new Headers({ 'user-agent': 'Fixpoint' })), url)
  const cache = new SharedPromiseCache(DIRECTORIES_MAX)
  const archive = new PMTiles(source, cache)
  const refused = (problem: (error: Error) => string) => (error: unknown) => {
    throw error instanceof UserFacingError ? error : new UserFacingError(`${url} ${problem(error as Error)}.`)
  }
  const damaged = refused(({ message }) => `is damaged: ${message}`)
  const header = await archive.getHeader().catch(refused(() => 'must be a PMTiles file of version 3'))
  const metadata = await readMetadata(archive, header).catch(damaged)
  const found = await findEntries(listTileIds(bounds, header), header, (offset, length) =>
    cache.getDirectory(source, offset, length, header),
  ).catch(damaged)
  if (found.length === 0) throw new UserFacingError(`${url} has no tiles in --bounds.`)

  const contents = [...new Map(found.map((entry) => [entry.offset, entry])).values()].sort((a, b) => a.offset - b.offset)
  const offsets = new Map<number, number>()
  let dataBytes = 0
  for (const { offset, length } of contents) {
    offsets.set(offset, dataBytes)
    dataBytes += length
  }
  if (dataBytes > BYTES_MAX)
    throw tooLarge(`${Math.ceil(dataBytes / 1024 ** 3)} GB of tiles, and at most ${BYTES_MAX / 1024 ** 3} GB`)
  const start = encodeArchiveStart({
    entries: joinRuns(found.map((entry) => ({ ...entry, offset: offsets.get(entry.offset) ?? 0 }))),
    ...{ dataBytes, metadata, tileType: header.tileType, tileCompression: header.tileCompression },
    ...{ minZoom: header.minZoom, maxZoom: header.maxZoom },
    bounds: [bounds.west, bounds.south, bounds.east, bounds.north],
  })

  const file = await open(path, 'w')
  try {
    await file.write(start, 0, start.length, 0)
    let written = 0
    const limit = pLimit(PARALLEL)
    const copy = async (range: readonly Entry[]) => {
      const [first, last] = [range[0], range.at(-1)]
      if (!first || !last) return
      const { data } = await source.getBytes(header.tileDataOffset + first.offset, last.offset + last.length - first.offset)
      for (const { offset, length } of range) {
        const bytes = new Uint8Array(data, offset - first.offset, length)
        await file.write(bytes, 0, length, start.length + (offsets.get(offset) ?? 0))
        written += length
      }
      onProgress(written, dataBytes)
    }
    try {
      await limit.map(toRanges(contents), copy)
    } finally {
      limit.clearQueue()
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** @throws UserFacingError if there are too many */
function listTileIds({ west, south, east, north }: Box, { minZoom, maxZoom }: Header): number[] {
  const ids: number[] = []
  for (let z = minZoom; z <= maxZoom; z++) {
    const tiles = 2 ** z
    const clamp = (index: number) => Math.min(Math.max(Math.floor(index), 0), tiles - 1)
    const [left, right] = [west, east].map((lng) => clamp(((lng + 180) / 360) * tiles)) as [number, number]
    const [top, bottom] = [north, south].map((lat) => clamp(mercatorY(lat) * tiles)) as [number, number]
    const count = (right - left + 1) * (bottom - top + 1)
    if (ids.length + count > TILES_MAX) throw tooLarge(`more than ${TILES_MAX.toLocaleString('en')} tiles`)
    for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) ids.push(zxyToTileId(z, x, y))
  }
  return ids.sort((a, b) => a - b)
}

const tooLarge = (what: string) => new UserFacingError(`--bounds must be smaller: they contain ${what}.`)

/** Returns an entry for each tile that the archive has. */
async function findEntries(ids: readonly number[], header: Header, read: ReadDirectory): Promise<Entry[]> {
  const found: Entry[] = []
  for (const tileId of ids) {
    let [offset, length] = [header.rootDirectoryOffset, header.rootDirectoryLength]
    for (let depth = 0; depth < DIRECTORY_DEPTH_MAX; depth++) {
      const entry = findTile(await read(offset, length), tileId)
      if (entry) checkEntry(entry, header)
      if (entry && entry.runLength > 0) found.push({ tileId, offset: entry.offset, length: entry.length, runLength: 1 })
      if (!entry || entry.runLength > 0) break
      if (depth === DIRECTORY_DEPTH_MAX - 1) throw loop()
      ;[offset, length] = [header.leafDirectoryOffset + entry.offset, entry.length]
    }
  }
  return found
}

/** Neighbouring tiles with the same content, such as water, are one entry. */
function joinRuns(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = []
  for (const entry of entries) {
    const last = joined.at(-1)
    if (last?.offset === entry.offset && last.tileId + last.runLength === entry.tileId) last.runLength++
    else joined.push({ ...entry })
  }
  return joined
}

function toRanges(contents: readonly Entry[]): Entry[][] {
  const ranges: Entry[][] = []
  for (const entry of contents) {
    const range = ranges.at(-1)
    const [first, last] = [range?.[0], range?.at(-1)]
    const isNear =
      first &&
      last &&
      entry.offset - last.offset - last.length <= GAP_BYTES &&
      entry.offset + entry.length - first.offset <= RANGE_BYTES_MAX
    if (range && isNear) range.push(entry)
    else ranges.push([entry])
  }
  return ranges
}

function withRetries(source: Source, url: string): Source {
  return {
    getKey: () => source.getKey(),
    async getBytes(offset, length, _signal, etag) {
      for (let attempt = 1; ; attempt++) {
        try {
          const part = await source.getBytes(offset, length, AbortSignal.timeout(TIMEOUT_MS), etag)
          // The reader asks for more than a small file has, but only at its start.
          const bytes = part.data.byteLength
          if (bytes > length || (bytes < length && offset > 0)) throw new Error(`the server sent ${bytes} of ${length} bytes`)
          return part
        } catch (error) {
          if (attempt < ATTEMPTS) continue
          throw new UserFacingError(
            `${url} could not be read (${reasonOf(error as Error)}). Nothing was changed: run the command again.`,
          )
        }
      }
    },
  }
}

/** Returns why a request failed: `fetch` has the reason in the cause. */
export function reasonOf(error: Error): string {
  // The reader throws this for status 416, too.
  if (error instanceof EtagMismatch) return 'it has fewer bytes than its header says, or it has changed meanwhile'
  return error.cause instanceof Error ? error.cause.message : error.message
}

/* The named roads of a PMTiles file, so that addresses can be searched without a geocoder. `npm run basemap` writes them to a file next to it. */

/** `point` is a vertex near the middle of the longest piece of the road. */
export interface NamedStreet {
  readonly name: string
  readonly point: Point
}

/** About a million streets of a country. */
export const STREET_TILES_MAX = 300_000
const STREETS_MAX = 200_000
/** Roads of one name that are further apart are different streets. */
const CELL_DEGREES = 0.05
const REPORT_TILES = 1_000
const notStreets = ['rail', 'ferry', 'aerialway', 'aeroway']

export const streetIndexPath = (pmtilesPath: string): string => `${pmtilesPath}.streets.json`

/**
 * Returns the named roads of the tiles, which are those of the highest zoom. Tiles that cannot be read are left out.
 * @param tileIds ids of PMTiles
 */
export async function collectStreets(
  file: PmtilesFile,
  tileIds: readonly number[],
  onProgress: (tiles: number) => void,
): Promise<NamedStreet[]> {
  const longest = new Map<string, NamedStreet & { readonly length: number }>()
  for (const [index, tileId] of tileIds.entries()) {
    if (longest.size >= STREETS_MAX) break
    if (index > 0 && index % REPORT_TILES === 0) onProgress(index)
    const [z, x, y] = tileIdToZxy(tileId)
    const bytes = await file.readTile(z, x, y)
    for (const street of bytes ? listRoads(bytes, file.isGzip, [z, x, y]) : []) {
      const { name, point } = street
      const key = [name, Math.floor(point.lng / CELL_DEGREES), Math.floor(point.lat / CELL_DEGREES)].join()
      if (street.length > (longest.get(key)?.length ?? 0)) longest.set(key, street)
    }
  }
  return [...longest.values()].map(({ name, point }) => ({ name, point }))
}

function listRoads(bytes: Uint8Array, isGzip: boolean, tile: readonly [number, number, number]) {
  try {
    const content = isGzip ? gunzipSync(bytes, { maxOutputLength: PART_BYTES_MAX }) : bytes
    const { roads } = new VectorTile(new PbfReader(content)).layers
    return Array.from({ length: roads?.length ?? 0 }, (_, index) => roads?.feature(index)).flatMap((road) => toStreet(road, tile))
  } catch {
    return []
  }
}

function toStreet(road: VectorTileFeature | undefined, [z, x, y]: readonly [number, number, number]) {
  const { name, kind } = road?.properties ?? {}
  if (!road || typeof name !== 'string' || name === '' || notStreets.includes(String(kind))) return []
  const lines = road.loadGeometry().map((line) => ({
    line,
    length: line.reduce((sum, { x: to, y: down }, index) => {
      const from = line[index - 1]
      return from ? sum + Math.hypot(to - from.x, down - from.y) : sum
    }, 0),
  }))
  const [longest] = lines.sort((a, b) => b.length - a.length)
  const middle = longest?.line[Math.floor(longest.line.length / 2)]
  if (!longest || !middle) return []
  const tiles = 2 ** z
  const lng = ((x + middle.x / road.extent) / tiles) * 360 - 180
  return [{ name, length: longest.length, point: { lng, lat: mercatorLatitude((y + middle.y / road.extent) / tiles) } }]
}

export const writeStreetIndex = (path: string, streets: readonly NamedStreet[]): Promise<void> =>
  writeFile(path, JSON.stringify(streets.map(({ name, point: { lng, lat } }) => [name, round(lng), round(lat)])))

const round = (degrees: number) => Math.round(degrees * 1e5) / 1e5

/** Returns no streets if there is no index. */
export async function readStreetIndex(pmtilesPath: string | undefined): Promise<readonly NamedStreet[]> {
  if (pmtilesPath === undefined) return []
  const text = await readFile(streetIndexPath(pmtilesPath), 'utf8').catch(() => '[]')
  return (JSON.parse(text) as [string, number, number][]).map(([name, lng, lat]) => ({ name, point: { lng, lat } }))
}
