import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Database, Snapshot } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import { encodeChangesCursor, findChangesPosition } from '../../issue-lifecycle/changes-cursor.ts'
import type { Feature, Layer, OpenWriter } from './writer.ts'

/** Limit in bytes for one file: about four million issues as GeoJSON. */
export const FILE_BYTES_MAX = 4 * 1024 ** 3

/** Features that a download reads in one snapshot. */
export interface FeatureTable {
  readonly layer: Layer
  readonly area: Area
  read(snapshot: Snapshot): AsyncIterable<readonly Feature[]>
}

export interface SpooledFile {
  readonly path: string
  readonly bytes: number
  readonly rows: number
  /** A strong ETag, a hash of the bytes. */
  readonly etag: string
  /** The position of the snapshot in the log of changes. */
  readonly cursor: string
}

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
      const position = await findChangesPosition(reader, table.area)
      let rows = 0
      for await (const features of table.read(reader)) {
        signal.throwIfAborted()
        await writer.write(features)
        rows += features.length
        await limitedSize()
      }
      return { rows, cursor: encodeChangesCursor(position) }
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
