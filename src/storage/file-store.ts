import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

/** The response is 503, so that the client may retry. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
  readonly statusCode = 503
}

/** A folder or a bucket of an S3-compatible service. Files are immutable; new content gets a new key. */
export interface FileStore {
  /** The copy is durable when the promise resolves. @throws StoreUnavailable */
  put(key: string, path: string, contentType: string): Promise<void>
  open(key: string, part?: Part): Promise<OpenFile | undefined>
  size(key: string): Promise<number | undefined>
  /** Returns false if the file does not exist. @throws StoreUnavailable */
  download(key: string, path: string): Promise<boolean>
  remove(key: string): Promise<void>
  /** Lists the pictures, or the files of other folders, whose names end with a slash. */
  list(folders?: readonly string[]): AsyncGenerator<StoredFile>
}

export interface Part {
  readonly start: number
  readonly end: number
}

export interface OpenFile {
  readonly stream: Readable
  readonly bytes: number
}

interface StoredFile {
  readonly key: string
  readonly modifiedAt: Date
}

export interface StorageBackend extends Pick<FileStore, 'put' | 'open' | 'size' | 'remove'> {
  /** The prefix ends with a slash. */
  listPage(prefix: string, page: string | undefined): Promise<{ files: StoredFile[]; nextPage: string | undefined }>
}

/** A bucket may hold other objects. */
export const ROOT = 'pictures'

/** Keys are random: a caller without access to a report must not guess the address of its image. */
export function newFileKey(extension: string): string {
  const name = randomBytes(20).toString('hex')
  return `${ROOT}/${name.slice(0, 2)}/${name}.${extension}`
}
