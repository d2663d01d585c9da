import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

/** Failure of the file store. It is answered with 503, so the client may retry. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
  readonly statusCode = 503
}

/** Store for pictures: a folder or a bucket of an S3-compatible service. Files are immutable; new content gets a new key. */
export interface FileStore {
  /** Stores a copy of the file at `path`. The copy is durable when the promise resolves. @throws StoreUnavailable */
  put(key: string, path: string, contentType: string): Promise<void>
  open(key: string, part?: Part): Promise<OpenFile | undefined>
  size(key: string): Promise<number | undefined>
  /** Copies a file to the local path. Returns false if the file does not exist. @throws StoreUnavailable */
  download(key: string, path: string): Promise<boolean>
  remove(key: string): Promise<void>
  list(): AsyncGenerator<StoredFile>
}

export interface Part {
  readonly start: number
  readonly end: number
}

export interface OpenFile {
  readonly stream: Readable
  readonly bytes: number
}

export interface StoredFile {
  readonly key: string
  readonly modifiedAt: Date
}

export interface StorageBackend extends Pick<FileStore, 'put' | 'open' | 'size' | 'remove'> {
  /** Returns one page of the files whose keys begin with the prefix, which ends with a slash. */
  listPage(prefix: string, page: string | undefined): Promise<{ files: StoredFile[]; nextPage: string | undefined }>
}

/** The prefix also applies in a bucket, so that the bucket may hold other objects. */
export const ROOT = 'pictures'

/** Returns a random key: a caller without access to a report must not guess the address of its picture. */
export function newFileKey(extension: string): string {
  const name = randomBytes(20).toString('hex')
  return `${ROOT}/${name.slice(0, 2)}/${name}.${extension}`
}
