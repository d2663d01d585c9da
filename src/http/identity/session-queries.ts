import { type Database, type Executable, sql } from '../../database/database.ts'
import { lockVerifiedAccount, type VerifiedAccount } from './viewer-queries.ts'

/** Limit for the sessions of a user. A further login ends the oldest session. */
export const SESSIONS_MAX = 20

/** Time without use after which a session ends. Its use is written at most once an hour. */
const IDLE_TIMEOUT = sql`interval '30 days'`

export function addSession(db: Database, owner: VerifiedAccount, hash: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockVerifiedAccount(tx, owner))) return false
    await tx.execute(sql`
      INSERT INTO tokens (user_id, kind, token_hash, last_used_at, expires_at)
      VALUES (${owner.id}, 'session', ${hash}, now(), now() + ${IDLE_TIMEOUT})`)
    await tx.execute(sql`
      DELETE FROM tokens t WHERE t.id IN (
        SELECT s.id FROM tokens s WHERE s.user_id = ${owner.id} AND s.kind = 'session'
        ORDER BY s.expires_at > now() DESC, s.created_at DESC, s.id DESC OFFSET ${SESSIONS_MAX})`)
    return true
  })
}

export async function touchSession(db: Executable, hash: string): Promise<void> {
  await db.execute(sql`
    UPDATE tokens SET last_used_at = now(), expires_at = now() + ${IDLE_TIMEOUT}
    WHERE tokens.token_hash = ${hash} AND tokens.kind = 'session' AND tokens.last_used_at < now() - interval '1 hour'`)
}

export async function removeSession(db: Database, hash: string): Promise<void> {
  await db.transaction((tx) => tx.prisma.token.deleteMany({ where: { token_hash: hash, kind: 'session' } }))
}
