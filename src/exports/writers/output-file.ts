import { closeSync, openSync, writeSync } from 'node:fs'

const BUFFER_BYTES = 1 << 20

/** Calls are synchronous: they run in a worker thread, which has nothing else to do meanwhile. */
export interface OutputFile {
  append(bytes: Uint8Array): void
  close(): void
}

/** Creates or empties a file. Short pieces are collected into writes of one mebibyte. */
export function createOutputFile(path: string): OutputFile {
  const file = openSync(path, 'w')
  const { append, flush } = bufferWrites(file)
  return {
    append,
    close() {
      flush()
      closeSync(file)
    },
  }
}

/** Appends to an open file. `flush` writes what is still in the buffer. */
export function bufferWrites(file: number): { append(bytes: Uint8Array): void; flush(): void } {
  const buffer = new Uint8Array(BUFFER_BYTES)
  let length = 0
  const flush = () => {
    writeWhole(file, buffer.subarray(0, length))
    length = 0
  }
  return {
    append(bytes) {
      if (length + bytes.length > buffer.length) flush()
      if (bytes.length > buffer.length) return writeWhole(file, bytes)
      buffer.set(bytes, length)
      length += bytes.length
    },
    flush,
  }
}

/** A single write may store less than it is given, such as on a nearly full disk. */
function writeWhole(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
}
