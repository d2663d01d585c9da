import { spawn, type SpawnOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { ERASED_FOLDER } from '../accounts/erasure.ts'
import type { Config } from '../config.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import type { StorageBackend } from '../storage/file-store.ts'
import { openBucket, openFolder } from '../storage/open-file-store.ts'

/** Checksums in the format of sha256sum. The file is written last, so it names only what is complete. */
export const CHECKSUMS = 'SHA256SUMS'

/** Files that are copied at the same time. */
export const COPIES = 8

/**
 * Opens a folder, or `s3://bucket/prefix` at the server and with the key of BACKUP_S3_URL or S3_URL.
 * @throws UserFacingError without an address or a key
 */
export async function openBackupStore(address: string | undefined, { backupS3Url, s3Url }: Config): Promise<StorageBackend> {
  if (address === undefined) throw new UserFacingError('Name the folder of the backup, or s3://bucket/prefix, after "--".')
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(address) ?? []
  if (bucket === undefined) return openFolder(resolve(address))
  const server = backupS3Url ?? s3Url
  if (server === undefined) throw new UserFacingError(`${address} needs BACKUP_S3_URL, which has the server and its key.`)
  const backend = await openBucket(Object.assign(new URL(server), { pathname: `/${bucket}` }).href)
  const at = (key: string) => (prefix === '' ? key : `${prefix}/${key}`)
  return {
    ...backend,
    put: (key, ...more) => backend.put(at(key), ...more),
    open: (key, part) => backend.open(at(key), part),
    remove: (key) => backend.remove(at(key)),
  }
}

export async function readChecksums(store: StorageBackend): Promise<Map<string, string>> {
  const file = await store.open(CHECKSUMS)
  const lines = file ? (await text(file.stream)).split('\n').filter((line) => line !== '') : []
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

export const isPicture = (key: string) => key.startsWith('pictures/')
/** A picture, or an entry of the list of erased persons. */
export const isFile = (key: string) => isPicture(key) || key.startsWith(ERASED_FOLDER)

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Starts a program that prints its errors itself. @throws UserFacingError if it is missing or fails */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(command, args, options)
  const ended = new Promise<void>((done, fail) => {
    child.once('error', () => fail(new UserFacingError(`${command} is not installed.`)))
    child.once('close', (code) => (code === 0 ? done() : fail(new UserFacingError(`${command} ended with ${code}.`))))
  })
  // A caller that fails first does not wait for it.
  ended.catch(() => undefined)
  return { child, ended }
}
