import { randomBytes } from 'node:crypto'

import { type Database, sql } from '../../database/database.ts'

/** Returns the key of that name, 256 random bits that all processes share; the first caller makes it. */
export async function findSigningKey(db: Database, name: string): Promise<string> {
  const find = () => db.query<{ key: string }>(sql`SELECT k.key FROM signing_keys k WHERE k.name = ${name}`)
  const [found] = await find()
  if (found) return found.key
  const made = randomBytes(32).toString('base64url')
  await db.transaction((tx) =>
    tx.query(sql`
      INSERT INTO signing_keys (name, key) VALUES (${name}, ${made}) ON CONFLICT (name) DO NOTHING
      RETURNING signing_keys.name`),
  )
  const [stored] = await find()
  if (!stored) throw new Error(`the signing key ${name} was not stored`)
  return stored.key
}
