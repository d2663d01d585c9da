import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { bucketAt } from './bucket.ts'
import { folderAt } from './folder.ts'
import { ROOT, StoreAway, type FileStore } from './file-store.ts'

/** The pattern matches keys of `newFileKey` only and excludes path traversal. */
export const FILE_KEY = /^pictures\/[0-9a-f]{2}\/[0-9a-f]{40}\.(jpg|png|gif)$/

/** Files are listed by the first two digits of their names, so that no list of all files is held in memory. */
const portions = Array.from({ length: 256 }, (_, portion) => `${ROOT}/${portion.toString(16).padStart(2, '0')}/`)

export interface FileStoreOptions {
  readonly dataDir: string
  /** `https://KEY:SECRET@host/bucket?region=…`; the default region is `us-east-1`. */
  readonly s3Url: string | undefined
  readonly silenceMaxMs?: number
}

export function openFileStore({ dataDir, s3Url, silenceMaxMs }: FileStoreOptions): FileStore {
  const shelf = s3Url === undefined ? folderAt(resolve(dataDir, 'files')) : bucketAt(s3Url, silenceMaxMs)
  return {
    put: (key, path, contentType) => reached('keep a file', shelf.put(key, path, contentType)),
    open: (key, part) => reached('open a file', shelf.open(key, part)),
    size: (key) => reached('find a file', shelf.size(key)),
    async download(key, path) {
      const file = await reached('open a file', shelf.open(key))
      if (file) await reached('give a file', pipeline(file.stream, createWriteStream(path)))
      return file !== undefined
    },
    remove: (key) => reached('remove a file', shelf.remove(key)),
    async *list() {
      for (const portion of portions) {
        let page: string | undefined
        do {
          const { files, nextPage } = await reached('list its files', shelf.listPage(portion, page))
          yield* files
          page = nextPage
        } while (page !== undefined)
      }
    },
  }
}

async function reached<Result>(doing: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new StoreAway(`The file store could not ${doing}.`, { cause: error })
  }
}
