import Type, { type Static } from 'typebox'

import { Id, nullable, Timestamp } from '../../database/columns.ts'
import { type Database, type Queryable, sql } from '../../database/database.ts'
import { lockVerifiedAccount, type VerifiedAccount } from '../../http/identity/viewer-queries.ts'

const TokenRow = Type.Object({
  id: Id,
  name: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
})
export type TokenRow = Static<typeof TokenRow>

/** The limit exposes clients that create a token at every start. */
export const TOKENS_MAX = 100

/** Returns `ended` if the password changed after its verification. */
export function addToken(
  db: Database,
  owner: VerifiedAccount,
  token: { readonly hash: string; readonly name: string | null; readonly expires_at: string | null },
): Promise<TokenRow | 'ended' | 'too many'> {
  return db.transaction(async (tx) => {
    if (!(await lockVerifiedAccount(tx, owner))) return 'ended'
    await tx.prisma.token.deleteMany({ where: { user_id: owner.id, expires_at: { lt: new Date() } } })
    const [added] = await tx.query(
      TokenRow,
      sql`
        INSERT INTO tokens (user_id, token_hash, name, expires_at)
        SELECT ${owner.id}, ${token.hash}, ${token.name}, ${token.expires_at}::timestamptz
        WHERE (SELECT count(*) FROM tokens t WHERE t.user_id = ${owner.id} AND t.kind = 'token') < ${TOKENS_MAX}
        RETURNING tokens.id, tokens.name, tokens.created_at, tokens.expires_at`,
    )
    return added ?? 'too many'
  })
}

export function listTokens(db: Queryable, owner: number): Promise<TokenRow[]> {
  return db.query(
    TokenRow,
    sql`
      SELECT t.id, t.name, t.created_at, t.expires_at FROM tokens t
      WHERE t.user_id = ${owner} AND t.kind = 'token' AND (t.expires_at IS NULL OR t.expires_at > now())
      ORDER BY t.created_at, t.id`,
  )
}

export async function removeToken(db: Database, owner: number, id: number): Promise<boolean> {
  const { count } = await db.transaction((tx) => tx.prisma.token.deleteMany({ where: { id, user_id: owner, kind: 'token' } }))
  return count > 0
}
