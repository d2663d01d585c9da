import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

/** The store does not do what it should. Answers are 503, and whoever asked may try again. */
export class StoreAway extends Error {
  override name = 'StoreAway'
  readonly statusCode = 503
}

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
export const ROOT = 'pictures'

/** A name that nobody can guess: whoever may not see a report must not find its picture. */
export function newFileKey(extension: string): string {
  const name = randomBytes(20).toString('hex')
  return `${ROOT}/${name.slice(0, 2)}/${name}.${extension}`
}
