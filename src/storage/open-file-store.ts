import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type FileStore, ROOT, type StorageBackend, StoreUnavailable } from './file-store.ts'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'

/** Excludes path traversal. */
export const FILE_KEY = /^pictures\/[0-9a-f]{2}\/[0-9a-f]{40}\.(jpg|png|gif)$/

/** Lists of one prefix each keep memory small. */
const pictureFolders = Array.from({ length: 256 }, (_, prefix) => `${ROOT}/${prefix.toString(16).padStart(2, '0')}/`)

interface FileStoreOptions {
  readonly dataDir: string
  /** `https://KEY:SECRET@host/bucket?region=…`; the default region is `us-east-1`. */
  readonly s3Url: string | undefined
  readonly responseMaxMs?: number
}

export const openFileStore = async ({ dataDir, s3Url, responseMaxMs }: FileStoreOptions): Promise<FileStore> =>
  createFileStore(s3Url === undefined ? openFolder(resolve(dataDir, 'files')) : await openBucket(s3Url, responseMaxMs))

/** Opens a bucket. The client of S3 takes 35 MB and a tenth of a second, so only a process that uses a bucket loads it. */
export const openBucket = async (s3Url: string, responseMaxMs?: number): Promise<StorageBackend> =>
  (await import('./bucket.ts')).openBucket(s3Url, responseMaxMs)

/** Reports all errors of `backend` as StoreUnavailable. */
export function createFileStore(backend: StorageBackend): FileStore {
  return {
    put: (key, path, contentType) => orUnavailable('store a file', backend.put(key, path, contentType)),
    open: (key, part) => orUnavailable('open a file', backend.open(key, part)),
    size: (key) => orUnavailable('find a file', backend.size(key)),
    async download(key, path) {
      const file = await orUnavailable('open a file', backend.open(key))
      if (file) await orUnavailable('read a file', pipeline(file.stream, createWriteStream(path)))
      return file !== undefined
    },
    remove: (key) => orUnavailable('remove a file', backend.remove(key)),
    async *list(folders = pictureFolders) {
      for (const prefix of folders) {
        let page: string | undefined
        do {
          const { files, nextPage } = await orUnavailable('list its files', backend.listPage(prefix, page))
          yield* files
          page = nextPage
        } while (page !== undefined)
      }
    },
  }
}

async function orUnavailable<Result>(action: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new StoreUnavailable(`The file store could not ${action}.`, { cause: error })
  }
}

export function openFolder(root: string): StorageBackend {
  const undefinedIfMissing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  }

  return {
    async put(key, path) {
      const file = join(root, key)
      await mkdir(dirname(file), { recursive: true })
      // An interrupted write leaves the file before it as it was. What a crash leaves is in the list, and is deleted as an orphan.
      const part = `${file}.${randomUUID()}`
      try {
        await pipeline(createReadStream(path), createWriteStream(part))
        // The transaction that references the file is flushed at its commit, so the file must survive a power failure too.
        await flush(part)
        await rename(part, file)
      } finally {
        await rm(part, { force: true })
      }
      await flush(dirname(file))
    },
    async open(key, part) {
      // The file is opened before the response begins, so that a read error can still become a status.
      const file = await open(join(root, key)).catch(undefinedIfMissing)
      if (!file) return undefined
      const { size } = await file.stat().catch(async (error: unknown) => {
        await file.close()
        throw error
      })
      return { stream: file.createReadStream(part ?? {}), bytes: part ? part.end - part.start + 1 : size }
    },
    async size(key) {
      return (await stat(join(root, key)).catch(undefinedIfMissing))?.size
    },
    remove: (key) => rm(join(root, key), { force: true }),
    async listPage(prefix) {
      const entries = (await readdir(join(root, prefix), { withFileTypes: true }).catch(undefinedIfMissing)) ?? []
      const files = []
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const found = await stat(join(root, prefix, name)).catch(undefinedIfMissing)
        if (found) files.push({ key: `${prefix}${name}`, modifiedAt: found.mtime })
      }
      return { files, nextPage: undefined }
    },
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
