import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { S3Driver } from 'flydrive/drivers/s3'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Where pictures are kept: a folder, or a bucket of an S3-compatible service. Files never change: another content has another key. */
export interface FileStore {
  /** Stores the file at `path`, which stays where it is. */
  put(key: string, path: string, contentType: string): Promise<void>
  /** Undefined where there is no such file. */
  open(key: string): Promise<OpenFile | undefined>
  /** Copies to a file of this machine; false where there is no such file. */
  download(key: string, path: string): Promise<boolean>
  /** Also where there is no such file. */
  remove(key: string): Promise<void>
  /** Every file, in no order. */
  list(): AsyncGenerator<{ readonly key: string; readonly modifiedAt: Date }>
}

export interface OpenFile {
  readonly stream: Readable
  readonly bytes: number
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
}

export function openFileStore(options: FileStoreOptions): FileStore {
  const disk = new Disk(driverOf(options))

  /** The drivers throw for what is not there, each in its own words. */
  const find = async (key: string) => {
    if (!(await disk.exists(key))) return undefined
    const { contentLength } = await disk.getMetaData(key)
    return contentLength
  }

  return {
    put: (key, path, contentType) => reached('store', disk.copyFromFs(path, key, { contentType })),
    async open(key) {
      const bytes = await find(key)
      return bytes === undefined ? undefined : { stream: await disk.getStream(key), bytes }
    },
    async download(key, path) {
      if ((await find(key)) === undefined) return false
      await pipeline(await disk.getStream(key), createWriteStream(path))
      return true
    },
    remove: (key) => disk.delete(key),
    async *list() {
      let page: string | undefined
      do {
        const { objects, paginationToken } = await disk.listAll(`${ROOT}/`, {
          recursive: true,
          ...(page === undefined ? {} : { paginationToken: page }),
        })
        for (const object of objects) {
          if (object.isFile) yield { key: object.key, modifiedAt: (await object.getMetaData()).lastModified }
        }
        page = paginationToken
      } while (page !== undefined)
    },
  }
}

function driverOf({ dataDir, s3Url }: FileStoreOptions) {
  if (s3Url === undefined) return new FSDriver({ location: resolve(dataDir, 'files'), visibility: 'private' })
  const url = new URL(s3Url)
  return new S3Driver({
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket: url.pathname.slice(1),
    credentials: { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) },
    // The bucket stands in the path: a service of one's own rarely has a name for each bucket.
    forcePathStyle: true,
    supportsACL: false,
    visibility: 'private',
  })
}

/** Both drivers fail in their own words, with the cause inside. */
async function reached<Result>(doing: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new StoreAway(`The file store could not ${doing} a file.`, { cause: error })
  }
}
