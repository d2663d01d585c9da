import { type Database, type Queryable, sql } from '../../database/database.ts'
import { lockVerified, type Verified } from '../../http/identity/viewer-queries.ts'

export interface TokenRow {
  readonly id: number
  readonly name: string | null
  readonly created_at: string
  readonly expires_at: string | null
}

/** Who makes a token for each start of a program has made a mistake, and should learn it. */
export const TOKENS_MAX = 100

/** `ended` where the password that was verified is no longer the owner's, `too many` where they have as many tokens as they may. */
export function addToken(
  db: Database,
  owner: Verified,
  token: { readonly hash: string; readonly name: string | null; readonly expires_at: string | null },
): Promise<TokenRow | 'ended' | 'too many'> {
  return db.transaction(async (tx) => {
    if (!(await lockVerified(tx, owner))) return 'ended'
    await tx.query(sql`DELETE FROM tokens t WHERE t.user_id = ${owner.id} AND t.expires_at < now() RETURNING t.id`)
    const [added] = await tx.query<TokenRow>(sql`
      INSERT INTO tokens (user_id, token_hash, name, expires_at)
      SELECT ${owner.id}, ${token.hash}, ${token.name}, ${token.expires_at}::timestamptz
      WHERE (SELECT count(*) FROM tokens t WHERE t.user_id = ${owner.id} AND t.kind = 'token') < ${TOKENS_MAX}
      RETURNING tokens.id, tokens.name, tokens.created_at, tokens.expires_at`)
    return added ?? 'too many'
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
