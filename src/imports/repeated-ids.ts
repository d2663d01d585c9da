import { hash, randomUUID } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { IssueRow } from './issue-rows.ts'

export interface RepeatedId {
  readonly id: number
  readonly first: number
}

/** A temporary file with a digest of each row keeps memory constant; it is searched for one part of the ids at a time. */
export interface RepeatedIds {
  add(rows: readonly IssueRow[]): Promise<void>
  /** Maps the line of the later row, in several maps. Call it after all rows are added. */
  find(): AsyncGenerator<ReadonlyMap<number, RepeatedId>>
  close(): Promise<void>
}

/** The id and the line are 32-bit integers; 48 bits are a digest. */
const RECORD_BYTES = 14
const DIGEST_BYTES = 6
const RECORDS_PER_READ = 65_536
/** Each id in memory needs about 100 bytes. */
const PART_MAX = 250_000

export async function openRepeatedIds(partMax = PART_MAX): Promise<RepeatedIds> {
  const path = join(tmpdir(), `fixpoint-import-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  // An unlinked file disappears when the process ends, even after a crash.
  await rm(path)
  let count = 0
  return {
    async add(rows) {
      await file.write(encodeRecords(rows), 0, undefined, count * RECORD_BYTES)
      count += rows.length
    },
    async *find() {
      const parts = Math.ceil(count / partMax)
      for (let part = 0; part < parts; part++) {
        let found = new Map<number, RepeatedId>()
        const firsts = new Map<number, { line: number; digest: number }>()
        for await (const { id, line, digest } of readRecords(file, count)) {
          if (id % parts !== part) continue
          const first = firsts.get(id)
          if (first === undefined) firsts.set(id, { line, digest })
          else if (first.digest !== digest) found.set(line, { id, first: first.line })
          if (found.size < partMax) continue
          yield found
          found = new Map()
        }
        if (found.size > 0) yield found
      }
    },
    close: () => file.close(),
  }
}

function encodeRecords(rows: readonly IssueRow[]): Buffer {
  const bytes = Buffer.allocUnsafe(rows.length * RECORD_BYTES)
  for (const [position, { line, ...values }] of rows.entries()) {
    const start = position * RECORD_BYTES
    bytes.writeUInt32LE(values.id, start)
    bytes.writeUInt32LE(line, start + 4)
    hash('sha1', JSON.stringify(values), 'buffer').copy(bytes, start + 8, 0, DIGEST_BYTES)
  }
  return bytes
}

async function* readRecords(file: FileHandle, count: number) {
  const bytes = Buffer.alloc(RECORDS_PER_READ * RECORD_BYTES)
  for (let index = 0; index < count; index += RECORDS_PER_READ) {
    const records = Math.min(RECORDS_PER_READ, count - index)
    await file.read(bytes, 0, records * RECORD_BYTES, index * RECORD_BYTES)
    for (let start = 0; start < records * RECORD_BYTES; start += RECORD_BYTES) {
      yield {
        id: bytes.readUInt32LE(start),
        line: bytes.readUInt32LE(start + 4),
        digest: bytes.readUIntLE(start + 8, DIGEST_BYTES),
      }
    }
  }
}
