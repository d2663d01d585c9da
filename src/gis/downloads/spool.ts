import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Type from 'typebox'

import { type Database, type Snapshot, sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Feature, Layer, OpenWriter } from './writer.ts'

/** Limit in bytes for one file: about four million issues as GeoJSON. */
export const FILE_BYTES_MAX = 4 * 1024 ** 3

/** Features that a download reads in one snapshot. */
export interface FeatureTable {
  readonly layer: Layer
  read(snapshot: Snapshot): AsyncIterable<readonly Feature[]>
}

export interface SpooledFile {
  readonly path: string
  readonly bytes: number
  readonly rows: number
  /** A strong ETag, a hash of the bytes. */
  readonly etag: string
  /** Identifies the snapshot: it tells which commits the file contains. */
  readonly cursor: string
}

const SnapshotRow = Type.Object({ snapshot: Type.String() })
const CURSOR_VERSION = 1

interface SpoolOptions {
  readonly folder: string
  readonly signal: AbortSignal
  readonly bytesMax?: number
}

/**
 * Writes the features of one snapshot to a file, so that a slow client holds no transaction.
 * @throws Problem 422 if the file would be larger than the limit
 */
export async function spoolFeatures(
  db: Pick<Database, 'snapshot'>,
  { table, openWriter }: { readonly table: FeatureTable; readonly openWriter: OpenWriter },
  { folder, signal, bytesMax = FILE_BYTES_MAX }: SpoolOptions,
): Promise<SpooledFile> {
  const path = join(folder, 'export')
  const limitedSize = async () => {
    const bytes = await fileSize(path)
    if (bytes > bytesMax) throw problems.exportTooLarge(bytesMax)
    return bytes
  }
  const writer = await openWriter(path, table.layer)
  try {
    const snapshot = await db.snapshot(async (reader) => {
      const [current] = await reader.query(sql.type(SnapshotRow)`SELECT pg_current_snapshot()::text AS snapshot`)
      let rows = 0
      for await (const features of table.read(reader)) {
        signal.throwIfAborted()
        await writer.write(features)
        rows += features.length
        await limitedSize()
      }
      return { rows, cursor: encodeCursor(current?.snapshot ?? '') }
    }, signal)
    // FlatGeobuf sorts its features here, which takes seconds, so the transaction has ended.
    await writer.end()
    signal.throwIfAborted()
    return { path, ...snapshot, bytes: await limitedSize(), etag: await readEtag(path, signal) }
  } catch (error) {
    await writer.abort?.()
    throw error
  }
}

async function readEtag(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1')
  await pipeline(createReadStream(path), hash, { signal })
  return `"${hash.digest('base64url')}"`
}

/** Some writers create their file with the last feature. */
const fileSize = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0

const encodeCursor = (snapshot: string) => Buffer.from(`${CURSOR_VERSION} ${snapshot}`).toString('base64url')
