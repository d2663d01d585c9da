import { closeSync, openSync, readSync } from 'node:fs'

import { doubled } from './doubled-array.ts'
import { bufferWrites } from './output-file.ts'

const BATCH_BYTES = 8 << 20
/** Gaps up to this size are read too, because one longer read is faster than two. */
const GAP_BYTES = 4096
const READ_BYTES = 1 << 20

/** A temporary file of encoded features, which are read in another order than they were written. */
export interface FeatureFile {
  append(bytes: Uint8Array): void
  size(index: number): number
  /** Yields the features in the order of these indexes, many at a time, in memory that the next step overwrites. Do not append afterwards. */
  inOrder(indexes: Uint32Array): Generator<Uint8Array>
  close(): void
}

export function createFeatureFile(path: string): FeatureFile {
  const file = openSync(path, 'w+')
  const { append, flush } = bufferWrites(file)
  let count = 0
  let sizes = new Uint32Array(1024)
  let ends = new Float64Array(1024)
  const size = (index: number) => sizes[index] ?? 0
  const start = (index: number) => (ends[index] ?? 0) - size(index)
  return {
    append(bytes) {
      append(bytes)
      if (count === sizes.length) {
        sizes = doubled(sizes, Uint32Array)
        ends = doubled(ends, Float64Array)
      }
      sizes[count] = bytes.length
      ends[count] = (ends[count - 1] ?? 0) + bytes.length
      count += 1
    },
    size,
    *inOrder(indexes) {
      flush()
      const read = createReader(file)
      const batchBytes = reusedBytes(BATCH_BYTES)
      for (let from = 0; from < indexes.length;) {
        let to = from
        let bytes = 0
        while (to < indexes.length && (to === from || bytes + size(indexes[to] ?? 0) <= BATCH_BYTES))
          bytes += size(indexes[to++] ?? 0)
        const batch = batchBytes(bytes)
        readBatch(indexes.subarray(from, to), batch, { start, size, read })
        yield batch
        from = to
      }
    },
    close: () => closeSync(file),
  }
}

interface Source {
  start(index: number): number
  size(index: number): number
  /** Returns bytes that the next call overwrites. */
  read(from: number, length: number): Uint8Array
}

/** Fills the batch with the features one after another. The file is read from its beginning to its end, neighbours in one read. */
function readBatch(indexes: Uint32Array, batch: Uint8Array, { start, size, read }: Source): void {
  const targets = new Uint32Array(indexes.length)
  for (let i = 1; i < indexes.length; i += 1) targets[i] = (targets[i - 1] ?? 0) + size(indexes[i - 1] ?? 0)
  const positions = Uint32Array.from(indexes.keys()).sort((a, b) => (indexes[a] ?? 0) - (indexes[b] ?? 0))
  const indexAt = (i: number) => indexes[positions[i] ?? 0] ?? 0
  for (let from = 0; from < positions.length;) {
    const begin = start(indexAt(from))
    let to = from
    let end = begin
    while (to < positions.length && start(indexAt(to)) - end <= GAP_BYTES && (to === from || end - begin < READ_BYTES)) {
      end = start(indexAt(to)) + size(indexAt(to))
      to += 1
    }
    const run = read(begin, end - begin)
    for (; from < to; from += 1) {
      const offset = start(indexAt(from)) - begin
      batch.set(run.subarray(offset, offset + size(indexAt(from))), targets[positions[from] ?? 0])
    }
  }
}

function createReader(file: number): Source['read'] {
  const part = reusedBytes(READ_BYTES)
  return (from, length) => {
    const bytes = part(length)
    for (let done = 0; done < length;) {
      const count = readSync(file, bytes, done, length - done, from + done)
      if (count === 0) throw new Error('The temporary file of features ended early')
      done += count
    }
    return bytes
  }
}

/** Returns a function that always returns the same memory, because new memory for each read would be freed late. */
function reusedBytes(usual: number): (length: number) => Uint8Array {
  let bytes = new Uint8Array(usual)
  return (length) => {
    if (length > bytes.length) bytes = new Uint8Array(length)
    return bytes.subarray(0, length)
  }
}
