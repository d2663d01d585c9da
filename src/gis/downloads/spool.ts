import { stat } from 'node:fs/promises'
import { join } from 'node:path'
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
  /** Identifies the snapshot: it tells which commits the file contains. */
  readonly cursor: string
}

const SnapshotRow = Type.Object({ snapshot: Type.String() })
const CURSOR_VERSION = 1

/**
 * Writes the features of one snapshot to a file, so that a slow client holds no transaction.
 * @throws Problem 422 if the file would be larger than the limit
 */
export function spoolFeatures(
  db: Pick<Database, 'snapshot'>,
  { table, openWriter }: { readonly table: FeatureTable; readonly openWriter: OpenWriter },
  { folder, signal, bytesMax = FILE_BYTES_MAX }: { folder: string; signal: AbortSignal; bytesMax?: number },
): Promise<SpooledFile> {
  const path = join(folder, 'export')
  return db.snapshot(async (snapshot) => {
    const writer = await openWriter(path, table.layer)
    let rows = 0
    try {
      const [current] = await snapshot.query(SnapshotRow, sql`SELECT pg_current_snapshot()::text AS snapshot`)
      for await (const features of table.read(snapshot)) {
        signal.throwIfAborted()
        await writer.write(features)
        rows += features.length
        if ((await fileSize(path)) > bytesMax) throw problems.exportTooLarge(bytesMax)
      }
      await writer.end()
      return { path, bytes: await fileSize(path), rows, cursor: encodeCursor(current?.snapshot ?? '') }
    } catch (error) {
      await writer.abort?.()
      throw error
    }
  }, signal)
}

/** Some writers create their file with the last feature. */
const fileSize = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0

const encodeCursor = (snapshot: string) => Buffer.from(`${CURSOR_VERSION} ${snapshot}`).toString('base64url')
