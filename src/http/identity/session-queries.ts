import { type Database, type Queryable, sql } from '../../database/database.ts'
import { lockVerified, type Verified } from './viewer-queries.ts'

/** Whoever logs in at one more place than this is logged out where they logged in first. */
export const SESSIONS_MAX = 20

/** Ends 30 days after its last use, which is written at most once an hour. */
const IDLE = sql`interval '30 days'`

/** False where the password that was verified is no longer the owner's. */
export function addSession(db: Database, owner: Verified, hash: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockVerified(tx, owner))) return false
    await tx.query(sql`
      INSERT INTO tokens (user_id, kind, token_hash, last_used_at, expires_at)
      VALUES (${owner.id}, 'session', ${hash}, now(), now() + ${IDLE}) RETURNING tokens.id`)
    await tx.query(sql`
      DELETE FROM tokens t WHERE t.id IN (
        SELECT s.id FROM tokens s WHERE s.user_id = ${owner.id} AND s.kind = 'session'
        ORDER BY s.expires_at > now() DESC, s.created_at DESC, s.id DESC OFFSET ${SESSIONS_MAX}) RETURNING t.id`)
    return true
  })
}

/** Puts the end off; asked at most once an hour for each session. */
export async function noteSessionUse(db: Queryable, hash: string): Promise<void> {
  await db.query(sql`
    UPDATE tokens SET last_used_at = now(), expires_at = now() + ${IDLE}
    WHERE tokens.token_hash = ${hash} AND tokens.kind = 'session' AND tokens.last_used_at < now() - interval '1 hour'
    RETURNING tokens.id`)
}

export async function removeSession(db: Queryable, hash: string): Promise<void> {
  await db.query(sql`DELETE FROM tokens t WHERE t.token_hash = ${hash} AND t.kind = 'session' RETURNING t.id`)
}
