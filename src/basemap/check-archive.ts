import { type Entry, type Header, type PMTiles, zxyToTileId } from 'pmtiles'

import { UserFacingError } from '../environment/user-facing-error.ts'

/* Checks of PMTiles archives, so that a damaged one is refused before a map of it is used. */

/** The reader has exact numbers for the tiles of these zoom levels. */
const ZOOM_MAX = 26
/** More bytes than any tile, directory or metadata has. */
export const PART_BYTES_MAX = 64 * 1024 ** 2
/** The root directory and three levels of leaf directories, which the reader follows. */
export const DIRECTORY_DEPTH_MAX = 4

export type ReadDirectory = (offset: number, length: number) => Promise<Entry[]>

/** Checks the header, and returns the metadata. @throws Error saying what is wrong */
export async function readMetadata(archive: PMTiles, header: Header): Promise<object> {
  checkHeader(header)
  const metadata = await archive.getMetadata().catch((error: unknown) => {
    if (error instanceof UserFacingError) throw error
  })
  if (typeof metadata === 'object' && metadata !== null) return metadata
  throw new Error('its metadata is not a JSON object')
}

function checkHeader({ minZoom, maxZoom, minLon, minLat, maxLon, maxLat, ...header }: Header): void {
  if (minZoom > maxZoom || maxZoom > ZOOM_MAX)
    throw new Error(`it has the zoom levels ${minZoom} to ${maxZoom}, of which ${ZOOM_MAX} is the highest allowed`)
  if (minLon > maxLon || minLat > maxLat || minLon < -180 || maxLon > 180 || minLat < -90 || maxLat > 90)
    throw new Error(`its bounds ${[minLon, minLat, maxLon, maxLat].join(',')} are not west,south,east,north in degrees`)
  for (const bytes of [header.rootDirectoryLength, header.jsonMetadataLength])
    if (bytes > PART_BYTES_MAX) throw new Error(`its root directory or its metadata has ${bytes} bytes`)
}

/** Returns the number of bytes that an archive with this header has. */
export const archiveBytes = (header: Header): number =>
  Math.max(
    header.rootDirectoryOffset + header.rootDirectoryLength,
    header.jsonMetadataOffset + header.jsonMetadataLength,
    header.leafDirectoryOffset + (header.leafDirectoryLength ?? 0),
    header.tileDataOffset + (header.tileDataLength ?? 0),
  )

/** @throws Error if a tile or a leaf directory does not lie in its section of the archive */
export function checkEntry({ offset, length, runLength }: Entry, header: Header): void {
  const section = runLength === 0 ? header.leafDirectoryLength : header.tileDataLength
  if (length === 0 || length > PART_BYTES_MAX || offset < 0 || offset + length > (section ?? 0))
    throw new Error(`a ${runLength === 0 ? 'directory' : 'tile'} has ${length} bytes at ${offset}, outside of its section`)
}

/** Reads all directories. Returns the ids of the first tiles at the highest zoom, with other ones of the same content left out. @throws Error saying what is wrong */
export async function checkDirectories(header: Header, read: ReadDirectory, idsMax: number): Promise<number[]> {
  const firstId = zxyToTileId(header.maxZoom, 0, 0)
  const ids: number[] = []
  const seen = new Set<number>()
  const check = async (offset: number, length: number, depth: number): Promise<void> => {
    if (depth > DIRECTORY_DEPTH_MAX || seen.has(offset)) throw loop()
    seen.add(offset)
    let lastId = -1
    for (const entry of await read(offset, length)) {
      checkEntry(entry, header)
      if (entry.tileId <= lastId) throw new Error('a directory is not in the order of its tiles')
      lastId = entry.tileId
      if (entry.runLength > 0 && entry.tileId >= firstId && ids.length < idsMax) ids.push(entry.tileId)
      if (entry.runLength === 0) await check(header.leafDirectoryOffset + entry.offset, entry.length, depth + 1)
    }
  }
  await check(header.rootDirectoryOffset, header.rootDirectoryLength, 1)
  return ids
}

export const loop = () => new Error('its leaf directories have too many levels or a loop')
