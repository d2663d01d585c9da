import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { bucketAt } from './bucket.ts'
import { folderAt } from './folder.ts'

/** Where pictures are kept: a folder, or a bucket of an S3-compatible service. Files never change: another content has another key. */
export interface FileStore {
  /** Stores the file at `path`, which stays where it is. What it resolves for outlives a crash of the machine. @throws StoreAway */
  put(key: string, path: string, contentType: string): Promise<void>
  /** Undefined where there is no such file. `part` lies within the file. @throws StoreAway */
  open(key: string, part?: Part): Promise<OpenFile | undefined>
  /** In bytes; undefined where there is no such file. @throws StoreAway */
  size(key: string): Promise<number | undefined>
  /** Copies to a file of this machine; false where there is no such file. @throws StoreAway */
  download(key: string, path: string): Promise<boolean>
  /** Also where there is no such file. @throws StoreAway */
  remove(key: string): Promise<void>
  /** Every file, in no order; a few thousand are held at a time. @throws StoreAway */
  list(): AsyncGenerator<StoredFile>
}

/** Of a file, in bytes; both ends belong to it. */
export interface Part {
  readonly start: number
  readonly end: number
}

export interface OpenFile {
  readonly stream: Readable
  /** How many are to come. */
  readonly bytes: number
}

export interface StoredFile {
  readonly key: string
  readonly modifiedAt: Date
}

/** What a kind of store can do by itself; it fails in its own words. */
export interface Shelf extends Pick<FileStore, 'put' | 'open' | 'size' | 'remove'> {
  /** One page of the files under a prefix that ends with a slash. */
  listPage(prefix: string, page: string | undefined): Promise<{ files: StoredFile[]; nextPage: string | undefined }>
}

/** Under S3 a folder too, so that a bucket may hold other things as well. */
const ROOT = 'pictures'

/** A name that nobody can guess: whoever may not see a report must not find its picture. */
export function newFileKey(extension: string): string {
  const name = randomBytes(20).toString('hex')
  return `${ROOT}/${name.slice(0, 2)}/${name}.${extension}`
}

/** What `newFileKey` makes, and nothing that could lead elsewhere. */
export const FILE_KEY = /^pictures\/[0-9a-f]{2}\/[0-9a-f]{40}\.(jpg|png|gif)$/

/** The first two digits of every name: files are looked through in these portions, so that no list of all is ever held. */
const portions = Array.from({ length: 256 }, (_, portion) => `${ROOT}/${portion.toString(16).padStart(2, '0')}/`)

/** The store does not do what it should. Answers are 503, and whoever asked may try again. */
export class StoreAway extends Error {
  override name = 'StoreAway'
  readonly statusCode = 503
}

export interface FileStoreOptions {
  /** Its subfolder `files`, where no `s3Url` is given. */
  readonly dataDir: string
  /** `https://KEY:SECRET@host/bucket?region=…`; the region is `us-east-1` where none is given. */
  readonly s3Url: string | undefined
  /** After how long without an answer a bucket counts as away. */
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
