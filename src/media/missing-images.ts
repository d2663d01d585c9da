import pLimit from 'p-limit'
import Type from 'typebox'

import { type Queryable, sql } from '../database/database.ts'
import type { FileStore } from '../storage/file-store.ts'

interface ImageCheck {
  readonly referenced: number
  readonly missing: readonly string[]
}

const BATCH_MAX = 1_000
const CONCURRENCY = 16

/** Checks the files of all issues, comments and avatars. @throws StoreUnavailable */
export async function findMissingImages(db: Queryable, files: FileStore): Promise<ImageCheck> {
  const limit = pLimit(CONCURRENCY)
  const missing: string[] = []
  let referenced = 0
  for (let keys = await listKeysAfter(db, ''); keys.length > 0; keys = await listKeysAfter(db, keys.at(-1) ?? '')) {
    const sizes = await Promise.all(keys.map((key) => limit(() => files.size(key))))
    missing.push(...keys.filter((_, n) => sizes[n] === undefined))
    referenced += keys.length
  }
  return { referenced, missing }
}

const Key = Type.Object({ key: Type.String() })

async function listKeysAfter(db: Queryable, after: string): Promise<string[]> {
  const rows = await db.query(sql.type(Key)`
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
