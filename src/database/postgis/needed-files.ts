import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** The library, the definitions of coordinate systems, and what CREATE EXTENSION reads. */
const NEEDED =
  /^(lib\/postgresql\/postgis-\d+\.so|share\/proj\/.*[^/]|share\/postgresql\/extension\/postgis(--[\d.]+\.sql|\.control))$/
const TAR_BLOCK = 512
/** Thousands of chunks of the default size would cost as much as the decompression. */
const CHUNK_BYTES = 1 << 20

export interface TarFile {
  readonly name: string
  readonly bytes: Uint8Array
}

let neededFiles: Promise<TarFile[]> | undefined

/** All engines of a process share the bytes, which none changes. */
export function readNeededFiles(bundle: URL): Promise<TarFile[]> {
  neededFiles ??= readFile(bundle)
    .then((compressed) => promisify(gunzip)(compressed, { chunkSize: CHUNK_BYTES }))
    .then((tar) => [...filesIn(tar)].filter(({ name }) => NEEDED.test(name)))
    // A copy, because a part of the buffer would keep all of it.
    .then((files) => files.map(({ name, bytes }) => ({ name, bytes: Uint8Array.from(bytes) })))
  return neededFiles
}

/** Reads the fields name and size of each header (POSIX ustar). */
function* filesIn(tar: Buffer): Generator<TarFile> {
  let at = 0
  while (at < tar.length && tar[at] !== 0) {
    const name = tar.toString('latin1', at, tar.indexOf(0, at))
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8)
    at += TAR_BLOCK
    yield { name, bytes: tar.subarray(at, at + size) }
    at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
}
