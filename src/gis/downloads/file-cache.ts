import { LRUCache } from 'lru-cache'

import { FILE_BYTES_MAX, type SpooledFile } from './spool.ts'

const FILES_MAX = 100
const CLIENTS_MAX = 10_000
/** A file may have issues that were hidden since. */
const AGE_MAX_MS = 30 * 60_000
/** Age up to which a client gets a file that was written for another one. */
const SHARED_MAX_MS = 60_000

/** The request that a file answers. */
export interface Reading {
  /** The address and the caller, so that callers with different views never share a file. */
  readonly view: string
  readonly client: string
}

export interface CachedFile extends SpooledFile {
  readonly folder: string
  readonly createdAt: number
  /** Monotonic time before the snapshot was read. */
  readonly startedAt: number
}

type NewFile = Omit<CachedFile, 'createdAt'>

/** Without conditions, a file that the client may read parts of. */
interface Wanted {
  readonly etag?: string | undefined
  /** A file that was begun afterwards has all rows that were committed before. */
  readonly startedAfter?: number
}

/** Equal files of different views are different entries, because a view decides who may read them. */
const toKey = (view: string, etag: string) => `${view} ${etag}`

/**
 * Keeps files of downloads for half an hour, so that the requests for parts of a file (RFC 9110, 14) read the same snapshot.
 * @param remove deletes the folder of a file; a client that is reading the file is not interrupted
 */
export function createFileCache(remove: (folder: string) => Promise<void>) {
  const files = new LRUCache<string, CachedFile>({
    max: FILES_MAX,
    maxSize: FILE_BYTES_MAX,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    ttl: AGE_MAX_MS,
    ttlAutopurge: true,
    dispose: ({ folder }) => void remove(folder),
    noDisposeOnSet: true,
  })
  /** ETags of the file that each client read last, and of the newest file of each view. */
  const latest = new LRUCache<string, string>({ maxSize: 2 * CLIENTS_MAX, sizeCalculation: () => 1 })

  function get(view: string, etag: string | undefined, ageMax = AGE_MAX_MS): CachedFile | undefined {
    const file = etag === undefined ? undefined : files.get(toKey(view, etag))
    return file && Date.now() - file.createdAt <= ageMax ? file : undefined
  }

  return {
    find({ view, client }: Reading, { etag, startedAfter = -Infinity }: Wanted = {}): CachedFile | undefined {
      if (etag !== undefined) return get(view, etag)
      const ofClient = `${view} ${client}`
      const usable = [get(view, latest.get(ofClient)), get(view, latest.get(view), SHARED_MAX_MS)]
      const file = usable.find((one) => one && one.startedAt > startedAfter)
      if (file) latest.set(ofClient, file.etag)
      return file
    },
    add({ view, client }: Reading, spooled: NewFile): CachedFile {
      const key = toKey(view, spooled.etag)
      const equal = files.get(key)
      // The older one of two equal files stays, because a request may be about to open it.
      if (equal) void remove(spooled.folder)
      const { path, folder } = equal ?? spooled
      const file = { ...spooled, path, folder, createdAt: Date.now() }
      files.set(key, file)
      for (const key of [view, `${view} ${client}`]) latest.set(key, file.etag)
      return file
    },
    /** Deletes all files, when the app closes or to make room on a full disk. */
    async clear(): Promise<void> {
      const folders = [...files.values()].map(({ folder }) => folder)
      files.clear()
      await Promise.all(folders.map(remove))
    },
  }
}
