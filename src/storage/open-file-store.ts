import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import { ROOT, StoreUnavailable, type FileStore } from './file-store.ts'

/** Excludes path traversal. */
export const FILE_KEY = /^pictures\/[0-9a-f]{2}\/[0-9a-f]{40}\.(jpg|png|gif)$/

/** Lists of one prefix each keep memory small. */
const prefixes = Array.from({ length: 256 }, (_, prefix) => `${ROOT}/${prefix.toString(16).padStart(2, '0')}/`)

export interface FileStoreOptions {
  readonly dataDir: string
  /** `https://KEY:SECRET@host/bucket?region=…`; the default region is `us-east-1`. */
  readonly s3Url: string | undefined
  readonly responseMaxMs?: number
}

export function openFileStore({ dataDir, s3Url, responseMaxMs }: FileStoreOptions): FileStore {
  const backend = s3Url === undefined ? openFolder(resolve(dataDir, 'files')) : openBucket(s3Url, responseMaxMs)
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
    async *list() {
      for (const prefix of prefixes) {
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
