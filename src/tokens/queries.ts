import { type Database, type Queryable, sql } from '../database/database.ts'

export interface TokenRow {
  readonly id: number
  readonly name: string | null
  readonly created_at: string
  readonly expires_at: string | null
}

/** Who makes a token for each start of a program has made a mistake, and should learn it. */
export const TOKENS_MAX = 100

/** Undefined where the user has as many as they may. */
export function addToken(
  db: Database,
  owner: number,
  token: { readonly hash: string; readonly name: string | null; readonly expires_at: string | null },
): Promise<TokenRow | undefined> {
  return db.transaction(async (tx) => {
    // The owner's row, so that two at once are counted one after the other.
    await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${owner} FOR NO KEY UPDATE`)
    await tx.query(sql`DELETE FROM tokens t WHERE t.user_id = ${owner} AND t.expires_at < now() RETURNING t.id`)
    const [added] = await tx.query<TokenRow>(sql`
      INSERT INTO tokens (user_id, token_hash, name, expires_at)
      SELECT ${owner}, ${token.hash}, ${token.name}, ${token.expires_at}::timestamptz
      WHERE (SELECT count(*) FROM tokens t WHERE t.user_id = ${owner} AND t.kind = 'token') < ${TOKENS_MAX}
      RETURNING tokens.id, tokens.name, tokens.created_at, tokens.expires_at`)
    return added
  })
}

export function listTokens(db: Queryable, owner: number): Promise<TokenRow[]> {
  return db.query<TokenRow>(sql`
    SELECT t.id, t.name, t.created_at, t.expires_at FROM tokens t
    WHERE t.user_id = ${owner} AND t.kind = 'token' AND (t.expires_at IS NULL OR t.expires_at > now())
    ORDER BY t.created_at, t.id`)
}

/** False where the user has no such token. */
export async function removeToken(db: Queryable, owner: number, id: number): Promise<boolean> {
  const removed = await db.query(sql`
    DELETE FROM tokens t WHERE t.id = ${id} AND t.user_id = ${owner} AND t.kind = 'token' RETURNING t.id`)
  return removed.length > 0
}
