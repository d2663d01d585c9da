import pLimit from 'p-limit'

import { type Queryable, sql } from '../database/database.ts'
import type { FileStore } from '../storage/file-store.ts'

export interface PicturesFound {
  /** How many pictures rows name, each of its sizes counted. */
  readonly named: number
  /** Keys that rows name and the store does not have. */
  readonly missing: readonly string[]
}

const BATCH_MAX = 1_000
const AT_ONCE = 16

/** Looks for every picture that an issue, a comment or a person has. @throws StoreAway */
export async function findMissingPictures(db: Queryable, files: FileStore): Promise<PicturesFound> {
  const limit = pLimit(AT_ONCE)
  const missing: string[] = []
  let named = 0
  for (let keys = await keysAfter(db, ''); keys.length > 0; keys = await keysAfter(db, keys.at(-1) ?? '')) {
    const sizes = await Promise.all(keys.map((key) => limit(() => files.size(key))))
    missing.push(...keys.filter((_, n) => sizes[n] === undefined))
    named += keys.length
  }
  return { named, missing }
}

async function keysAfter(db: Queryable, after: string): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    SELECT DISTINCT k.key
    FROM (
      SELECT m.full_key AS key FROM media m
      UNION ALL SELECT m.square_key FROM media m
      UNION ALL SELECT m.representative_key FROM media m
      UNION ALL SELECT u.avatar_full FROM users u
      UNION ALL SELECT u.avatar_square FROM users u) k
    WHERE k.key > ${after}
    ORDER BY k.key LIMIT ${BATCH_MAX}`)
  return rows.map(({ key }) => key)
}
