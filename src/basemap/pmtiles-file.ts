import { open } from 'node:fs/promises'
import { Compression, PMTiles, SharedPromiseCache, type Source, TileType } from 'pmtiles'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { archiveBytes, checkDirectories, PART_BYTES_MAX, readMetadata } from './check-archive.ts'

/** A PMTiles file or the streets of the demo. */
export interface TileSource {
  readonly isGzip: boolean
  /** Returns the bytes of a vector tile as they are stored, or undefined if there is none. */
  readTile(z: number, x: number, y: number): Promise<Buffer | undefined>
}

export interface PmtilesFile extends TileSource {
  readonly minZoom: number
  readonly maxZoom: number
  /** West, south, east, north. */
  readonly bounds: readonly [number, number, number, number]
  readonly attribution: string
  /** It changes with the file. */
  readonly version: string
  /** Reads all directories and returns ids of tiles at the highest zoom. @throws UserFacingError if they are damaged */
  checkDirectories(idsMax: number): Promise<readonly number[]>
  close(): Promise<void>
}

/** Directories of the file in memory, about 100 kB each. */
const DIRECTORIES_MAX = 200
const OPENSTREETMAP = '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>'
/** Layers without which the styles of Protomaps show nothing. */
const LAYERS = ['earth', 'roads', 'water']

/**
 * @param subject begins the messages of errors
 * @throws UserFacingError if the file cannot be read, is cut off, or has no vector tiles with the layers of Protomaps
 */
export async function openPmtiles(path: string, subject: string): Promise<PmtilesFile> {
  const refused = (problem: string) => new UserFacingError(`${subject} ${problem}.`)
  const damaged = (error: unknown) => {
    throw refused(`is damaged: ${(error as Error).message}`)
  }
  const file = await open(path, 'r').catch(() => {
    throw refused('must be a file that the service can read')
  })
  const source: Source = {
    getKey: () => path,
    async getBytes(offset, length) {
      if (length > PART_BYTES_MAX) throw new Error(`a part of it has ${length} bytes`)
      const bytes = new Uint8Array(length)
      const { bytesRead } = await file.read(bytes, 0, length, offset)
      return { data: bytes.buffer.slice(0, bytesRead) }
    },
  }
  try {
    const { size, mtimeMs } = await file.stat()
    const directories = new SharedPromiseCache(DIRECTORIES_MAX)
    const archive = new PMTiles(source, directories)
    const header = await archive.getHeader().catch(() => {
      throw refused('must be a PMTiles file of version 3')
    })
    const bytes = archiveBytes(header)
    if (size < bytes) throw refused(`must be a complete file: it has ${size} of ${bytes} bytes`)
    const metadata = (await readMetadata(archive, header).catch(damaged)) as Metadata
    if (header.tileType !== TileType.Mvt || !hasLayers(metadata)) throw refused('must be a file of vector tiles made by Protomaps')
    if (![Compression.None, Compression.Gzip].includes(header.tileCompression))
      throw refused('must be a file whose tiles have gzip')
    // Tiles stay compressed, because browsers decompress them.
    const tiles = new PMTiles(source, new SharedPromiseCache(DIRECTORIES_MAX), (bytes) => Promise.resolve(bytes))
    return {
      minZoom: header.minZoom,
      maxZoom: header.maxZoom,
      bounds: [header.minLon, header.minLat, header.maxLon, header.maxLat],
      attribution: typeof metadata.attribution === 'string' ? metadata.attribution : OPENSTREETMAP,
      version: `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`,
      isGzip: header.tileCompression === Compression.Gzip,
      readTile: async (z, x, y) => {
        const tile = await tiles.getZxy(z, x, y)
        return tile && Buffer.from(tile.data)
      },
      checkDirectories: async (idsMax) => {
        const read = (offset: number, length: number) => directories.getDirectory(source, offset, length, header)
        return (await checkDirectories(header, read, idsMax).catch(damaged)) ?? []
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Metadata {
  readonly attribution?: unknown
  readonly vector_layers?: readonly { readonly id?: unknown }[]
}

function hasLayers({ vector_layers }: Metadata): boolean {
  return !Array.isArray(vector_layers) || LAYERS.every((name) => vector_layers.some((layer: { id?: unknown }) => layer.id === name))
}
